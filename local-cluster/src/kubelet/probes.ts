import { request } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { ContainerSpec, ProbeSpec } from "./pod-shape.ts";

/** What a probe asks of a container; undefined when all is well, else what went wrong. */
export type Check = () => Promise<string | undefined>;

/** Probes until the signal: `onChange` hears when the container becomes well (undefined) or unwell (why). */
export async function probing(
  probe: ProbeSpec,
  check: Check,
  onChange: (failure: string | undefined) => void,
  signal: AbortSignal,
): Promise<void> {
  const { initialDelaySeconds = 0, periodSeconds = 10, failureThreshold = 3, successThreshold = 1 } = probe;
  let [failures, successes] = [0, 0];
  await sleep(initialDelaySeconds * 1000, undefined, { signal });
  for (;;) {
    const failure = await check().catch((thrown: unknown) => String(thrown));
    if (signal.aborted) return;
    [failures, successes] = failure === undefined ? [0, successes + 1] : [failures + 1, 0];
    if (failure === undefined && successes === successThreshold) onChange(undefined);
    if (failure !== undefined && failures === failureThreshold) {
      onChange(failure);
      failures = 0;
    }
    await sleep(periodSeconds * 1000, undefined, { signal });
  }
}

/** The check of a probe; `exec` runs a program in the container and tells its exit code. */
export function checkOf(
  probe: ProbeSpec,
  container: ContainerSpec,
  at: { readonly ip: string; exec(command: readonly string[], timeoutMs: number): Promise<number> },
): Check {
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000;
  const { httpGet, tcpSocket, exec } = probe;
  const portOf = (port: number | string) =>
    typeof port === "number" ? port : (container.ports?.find(({ name }) => name === port)?.containerPort ?? 0);
  if (httpGet !== undefined) return () => httpCheck(at.ip, portOf(httpGet.port), httpGet.path ?? "/", timeoutMs);
  if (tcpSocket !== undefined) return () => tcpCheck(at.ip, portOf(tcpSocket.port), timeoutMs);
  return async () => {
    const code = await at.exec(exec?.command ?? [], timeoutMs);
    return code === 0 ? undefined : `command exited with ${code}`;
  };
}

function httpCheck(host: string, port: number, path: string, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const sent = request({ host, port, path, agent: false, headers: { "user-agent": "kube-probe/1.36" } }, (answer) => {
      answer.resume();
      const { statusCode = 0 } = answer;
      resolve(statusCode >= 200 && statusCode < 400 ? undefined : `HTTP probe failed with statuscode: ${statusCode}`);
      sent.destroy();
    });
    sent.setTimeout(timeoutMs, () => sent.destroy(new Error("context deadline exceeded")));
    sent.on("error", (thrown) => resolve(`Get "http://${host}:${port}${path}": ${thrown.message}`));
    sent.end();
  });
}

function tcpCheck(host: string, port: number, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, host, () => end(undefined));
    const end = (failure: string | undefined) => {
      socket.destroy();
      resolve(failure);
    };
    socket.setTimeout(timeoutMs, () => end("i/o timeout"));
    socket.on("error", (thrown) => end(thrown.message));
  });
}
