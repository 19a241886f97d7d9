import { type ErrorBody, nestRuns } from "@nest/protocol";
import { CallError } from "../../../shared/call/call.ts";

/** A recording may have many megabytes, and the line to it may be slow. */
const DEADLINE_MS = 120_000;

/** Reads a run's recording as text. @throws CallError in the nest's words. */
export async function fetchRecording(id: string, signal: AbortSignal): Promise<string> {
  const path = nestRuns.recording.path.replace(":id", encodeURIComponent(id));
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]);
  try {
    const response = await fetch(path, { signal: deadline });
    if (response.ok) return await response.text();
    const said = (await response.json().catch(() => undefined)) as ErrorBody | undefined;
    throw new CallError(
      response.status,
      said ?? { error: `the server answered with status ${response.status}`, code: "internal" },
    );
  } catch (thrown) {
    if (thrown instanceof CallError || signal.aborted) throw thrown;
    throw new CallError(0, { error: "the recording could not be read", code: "unreachable", hint: "try again" });
  }
}
