import { once } from "node:events";
import { connect } from "node:net";
import fc from "fast-check";

/** How many cases each property tries: `NEST_FUZZ_CASES` asks for more than a test run has time for. */
export const CASES = Number(process.env.NEST_FUZZ_CASES ?? 10_000);
const AT_ONCE = 25;

/** Sends bytes and the end of them to a port, and waits until the server has ended its side too. */
export async function sendBytes(port: number, bytes: Uint8Array): Promise<void> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: false });
  socket.on("error", () => {});
  socket.resume();
  const closed = once(socket, "close");
  const late = setTimeout(() => socket.destroy(), 1000);
  socket.end(bytes);
  await closed;
  clearTimeout(late);
}

/** A property over many cases: none of them ends the server. Several are sent at once. */
export function nothingEnds(
  server: { readonly isAlive: () => boolean; readonly port: number },
  bytes: fc.Arbitrary<Uint8Array>,
  share = 1,
): Promise<void> {
  const together = fc.array(bytes, { minLength: AT_ONCE, maxLength: AT_ONCE });
  const property = fc.asyncProperty(together, async (cases) => {
    await Promise.all(cases.map((one) => sendBytes(server.port, one)));
    if (!server.isAlive()) throw new Error("the server has ended");
  });
  return fc.assert(property, { numRuns: Math.ceil((CASES * share) / AT_ONCE), endOnFailure: true });
}

const latin = (text: string) => Buffer.from(text, "latin1");
const text = fc.string({ unit: "binary-ascii", maxLength: 40 });
const target = fc.oneof(
  fc.constantFrom(
    "//",
    "/",
    "*",
    "///",
    "/\\",
    "http://[::1/x",
    "http://",
    "http:///",
    "https://@:0/",
    "/%",
    "/%zz",
    "/..//",
  ),
  fc.constantFrom(
    "/api/contribute/ws",
    "/contribute",
    "/api/contribute/ws?",
    "/api/contribute/ws#",
    "//api/contribute/ws",
  ),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  text.map((rest) => `/${rest}`),
  text,
);
const headerValue = fc.oneof(
  text,
  fc.constantFrom("websocket", "h2c", "13", "8", "chunked", "5", "-1", "0x10", "keep-alive"),
);
const header = fc.tuple(
  fc.oneof(
    fc.constantFrom(
      "Upgrade",
      "Connection",
      "Sec-WebSocket-Key",
      "Sec-WebSocket-Version",
      "Sec-WebSocket-Protocol",
      "Sec-WebSocket-Extensions",
      "Origin",
      "Host",
      "Cookie",
      "Authorization",
      "Content-Length",
      "Transfer-Encoding",
      "Content-Type",
      "X-Forwarded-For",
      "X-Forwarded-Host",
      "Expect",
      "Range",
      "Last-Event-ID",
    ),
    text,
  ),
  headerValue,
);
const method = fc.oneof(fc.constantFrom("GET", "POST", "PUT", "HEAD", "OPTIONS", "CONNECT", "PRI", "TRACE"), text);

/** Requests that look like requests, more or less. */
export const requests: fc.Arbitrary<Uint8Array> = fc
  .record({
    method,
    target,
    version: fc.constantFrom("HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/9", ""),
    headers: fc.array(header, { maxLength: 8 }),
    isUpgrade: fc.boolean(),
    body: fc.uint8Array({ maxLength: 200 }),
  })
  .map(({ method, target, version, headers, isUpgrade, body }) => {
    const upgrade = isUpgrade ? "Host: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" : "";
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    return Buffer.concat([latin(`${method} ${target} ${version}\r\n${upgrade}${lines}\r\n`), body]);
  });

/** Anything at all. */
export const anything: fc.Arbitrary<Uint8Array> = fc.uint8Array({ maxLength: 300 });

const word = fc.oneof(
  fc.constantFrom(
    "auth_response",
    "ready",
    "task_accepted",
    "task_progress",
    "task_complete",
    "ping",
    "pong",
    "__proto__",
  ),
  text,
);
const json = fc
  .oneof(
    fc.record(
      {
        type: fc.oneof(word, fc.jsonValue()),
        registration_token: fc.oneof(text, fc.jsonValue()),
        contributor_id: fc.oneof(text, fc.jsonValue()),
        auth_proof: fc.oneof(fc.stringMatching(/^[0-9a-f]{64}$/), fc.jsonValue()),
        cli_backend: fc.jsonValue(),
        model: fc.jsonValue(),
        session: fc.jsonValue(),
        capabilities: fc.jsonValue(),
        relay_protocol_version: fc.jsonValue(),
        task_id: fc.jsonValue(),
        task_gen: fc.jsonValue(),
      },
      { requiredKeys: ["type"] },
    ),
    fc.jsonValue(),
  )
  .map((value) => Buffer.from(JSON.stringify(value) ?? "null"));
const payload = fc.oneof(json, fc.uint8Array({ maxLength: 5000 }), text.map(latin));

const frame = fc
  .record({
    payload,
    first: fc.oneof({ weight: 5, arbitrary: fc.constant(0x81) }, { weight: 1, arbitrary: fc.nat(255) }),
    isMasked: fc.oneof({ weight: 30, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    claimed: fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.maxSafeNat() }),
  })
  .map(({ payload, first, isMasked, claimed }) => {
    const length = claimed ?? payload.length;
    const bit = isMasked ? 0x80 : 0;
    const head =
      length < 126
        ? Buffer.from([first, bit | length])
        : length < 65_536
          ? Buffer.from([first, bit | 126, length >> 8, length & 255])
          : Buffer.concat([Buffer.from([first, bit | 127]), bigEndian(length)]);
    // A mask of zeros leaves the payload as it is.
    return Buffer.concat([head, isMasked ? Buffer.alloc(4) : Buffer.alloc(0), payload]);
  });

function bigEndian(length: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(length));
  return bytes;
}

/** A good handshake from an address that was not seen yet, and then frames of somebody who has not said who they are. */
export const firstFrames: fc.Arbitrary<Uint8Array> = fc
  .tuple(fc.ipV4(), fc.array(frame, { minLength: 1, maxLength: 6 }))
  .map(([address, frames]) =>
    Buffer.concat([
      latin(
        "GET /api/contribute/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
          `X-Forwarded-For: ${address}\r\n` +
          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
      ),
      ...frames,
    ]),
  );
