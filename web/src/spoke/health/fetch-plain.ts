import { CallError } from "../../shared/call/call.ts";

const DEADLINE_MS = 15_000;

/** What an address answers, whatever its status. @throws CallError where it does not answer. */
export async function fetchPlain(
  path: string,
  signal: AbortSignal,
  method: "GET" | "HEAD" = "GET",
): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const response = await fetch(path, { method, signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]) });
    return { status: response.status, text: await response.text() };
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    throw new CallError(0, { error: "the nest does not answer", code: "unreachable", hint: "try again" });
  }
}
