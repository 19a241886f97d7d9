import { Readable } from "node:stream";
import { promisify } from "node:util";
import { type BrotliOptions, brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply } from "fastify";

/** Below this an answer fits into one packet anyway. */
export const WORTH_IT_BYTES = 1024;
/** Text that is made or read here. An event stream is not among them: the hub's packs itself, event by event. */
const COMPRESSIBLE = /^(?:text\/(?:html|css|javascript)|application\/json|image\/svg\+xml)\b/;
/** Compresses nearly as well as the default level at half the work: somebody waits for the answer. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const LARGEST_WINDOW = 22;

/** An encoding in which answers are sent. */
export type Encoding = "br" | "gzip";

const brotliWhole = promisify(brotliCompress);
const gzipWhole = promisify(gzip);

/**
 * Compresses answers to GET: data, pages, styles and scripts.
 *
 * Answers to other methods are left alone on purpose: the length of a compressed answer betrays a secret that stands in it
 * beside a stranger's words (BREACH). Tokens and pending sign-ins are only ever in answers to POST (`register`, `reissue-token`,
 * `device/start`), sessions only in headers, which are not compressed. An answer that has a `Content-Encoding` already, or is
 * written past Fastify (event streams), stays as it is.
 */
export function compressAnswers(http: FastifyInstance): void {
  http.addHook<string | Buffer | Readable | undefined | null>("onSend", async (request, reply, payload) => {
    if (payload === undefined || payload === null || payload === "" || !isWorthIt(reply, payload)) return payload;
    if (request.method !== "GET" || reply.statusCode === 304) return payload;
    reply.header("vary", "accept-encoding");
    const way = preferred(request.headers["accept-encoding"]);
    if (way === undefined) return payload;
    reply.header("content-encoding", way).removeHeader("content-length");
    if (payload instanceof Readable) {
      const packer = way === "br" ? createBrotliCompress(brotli) : createGzip();
      payload.once("error", (thrown) => packer.destroy(thrown));
      packer.once("close", () => payload.destroy());
      return payload.pipe(packer);
    }
    return pack(payload, way);
  });
}

/** Compresses a whole answer. */
export function pack(answer: string | Buffer, way: Encoding): Promise<Buffer> {
  return way === "br" ? brotliWhole(answer, brotliFor(answer.length)) : gzipWhole(answer);
}

/**
 * A window as large as the answer. The largest one takes megabytes outside of the heap for each answer, and dozens of answers a second
 * have the whole heap collected again and again, which delays everybody.
 */
function brotliFor(bytes: number): BrotliOptions {
  const window = Math.min(LARGEST_WINDOW, Math.max(constants.BROTLI_MIN_WINDOW_BITS, Math.ceil(Math.log2(bytes))));
  return {
    params: {
      ...brotli.params,
      [constants.BROTLI_PARAM_LGWIN]: window,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes,
    },
  };
}

function isWorthIt(reply: FastifyReply, payload: string | Buffer | Readable): boolean {
  if (reply.hasHeader("content-encoding") || reply.hasHeader("content-range")) return false;
  if (!COMPRESSIBLE.test(String(reply.getHeader("content-type") ?? ""))) return false;
  const bytes = payload instanceof Readable ? Number(reply.getHeader("content-length") ?? Infinity) : payload.length;
  return bytes >= WORTH_IT_BYTES;
}

/** The better of the two encodings that a client takes; undefined when it takes neither. */
export function preferred(header: string | string[] | undefined): Encoding | undefined {
  if (takes(header, "br")) return "br";
  return takesGzip(header) ? "gzip" : undefined;
}

/** Whether a client takes gzip, by its `Accept-Encoding`. */
export function takesGzip(header: string | string[] | undefined): boolean {
  return takes(header, "gzip");
}

function takes(header: string | string[] | undefined, encoding: Encoding): boolean {
  const taken = new Set<string>();
  const refused = new Set<string>();
  for (const part of String(header ?? "").split(",")) {
    const [name = "", ...parameters] = part.split(";").map((one) => one.trim().toLowerCase());
    const isRefused = parameters.some((one) => /^q=0(?:\.0*)?$/.test(one));
    (isRefused ? refused : taken).add(name);
  }
  return !refused.has(encoding) && (taken.has(encoding) || taken.has("*"));
}
