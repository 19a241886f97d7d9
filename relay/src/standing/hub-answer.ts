/** A hub's answer; `body` is undefined where it is no JSON, or too long. */
export interface HubAnswer {
  readonly status: number;
  readonly ok: boolean;
  readonly body: unknown;
}

const MOST_BYTES = 1024 * 1024;

/**
 * Asks a hub and reads its answer to the end, both within `patienceMs`: a hub that never comes to an end, or has no end of words,
 * holds up nobody. Redirects are not followed, so that what is sent reaches this hub alone.
 *
 * @throws when the hub does not answer in time.
 */
export async function hubAnswer(
  ask: typeof fetch,
  address: string,
  request: RequestInit,
  patienceMs: number,
): Promise<HubAnswer> {
  // A controller of our own: the signal of AbortSignal.timeout may be collected while a body is read, and then never fires.
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), patienceMs);
  try {
    const response = await ask(address, { ...request, redirect: "error", signal: patience.signal });
    return { status: response.status, ok: response.ok, body: parsed(await textOf(response)) };
  } finally {
    clearTimeout(timer);
  }
}

async function textOf(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MOST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
