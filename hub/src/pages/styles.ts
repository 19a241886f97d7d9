import type { CodeHost } from "@nest/codehost";
import { type Clock, NestError } from "@nest/kit";
import { type CleanStyle, cleanStyle, STYLE_BYTES } from "./style-cleaner.ts";
import { readStyleSource } from "./style-source.ts";

const KEPT_MS = 5 * 60_000;
/** A refusal is remembered for less time: the stylesheet may be added in a moment. */
const REFUSAL_KEPT_MS = 60_000;
const REFUSALS: ReadonlySet<unknown> = new Set(["bad_request", "not_found", "body_too_large"]);
const MOST_KEPT = 64;

interface Kept {
  until: number;
  readonly style: Promise<CleanStyle>;
}

/** Custom stylesheets, fetched through the code host, cleaned, and remembered for five minutes. */
export class Styles {
  readonly #codeHost: CodeHost;
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();

  constructor(codeHost: CodeHost, clock: Clock) {
    this.#codeHost = codeHost;
    this.#clock = clock;
  }

  /** Whether a stylesheet is cached, so that serving it costs the code host nothing. */
  has(source: string): boolean {
    return (this.#kept.get(source)?.until ?? 0) > this.#clock.now();
  }

  /** A clean stylesheet. @throws NestError `bad_request`, `not_found`, `body_too_large`, and what a code host throws. */
  get(source: string): Promise<CleanStyle> {
    const now = this.#clock.now();
    const kept = this.#kept.get(source);
    if (kept !== undefined && kept.until > now) return kept.style;
    const style = this.#fetch(source);
    this.#kept.delete(source);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size < MOST_KEPT) break;
      this.#kept.delete(oldest);
    }
    const fetched: Kept = { until: now + KEPT_MS, style };
    this.#kept.set(source, fetched);
    style.catch((thrown) => {
      const isRefusal = thrown instanceof NestError && REFUSALS.has(thrown.code);
      fetched.until = isRefusal ? now + REFUSAL_KEPT_MS : 0;
    });
    return style;
  }

  async #fetch(text: string): Promise<CleanStyle> {
    const source = readStyleSource(text);
    if (source === undefined)
      throw new NestError("bad_request", "src: not a stylesheet's place", { hint: "write owner/repo/path.css@ref" });
    // The hub may be able to read files that the public may not; such a file is treated as absent.
    const hidden = await this.#codeHost.isPrivate(source.repo);
    const { repo, path, ref } = source;
    const file = hidden
      ? ({ kind: "absent" } as const)
      : await this.#codeHost.textFile({ repo, path, maxBytes: STYLE_BYTES, ...(ref === "HEAD" ? {} : { ref }) });
    if (file.kind === "absent") throw new NestError("not_found", "there is no such stylesheet in a public repository");
    if (file.kind === "too_large") throw new NestError("body_too_large", "the stylesheet is larger than 128 KiB");
    return cleanStyle(file.text);
  }
}
