/** A failure that a test asked for. */
export interface ScriptedFailure {
  /** The path of the requests that fail, or a pattern of it; every path where absent. */
  readonly path?: string | RegExp;
  readonly method?: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How many requests fail before all is well again; 1. */
  readonly times?: number;
}

/** Failures in waiting, the first that fits is used up first. */
export class ScriptedFailures {
  readonly #waiting: { readonly failure: ScriptedFailure; left: number }[] = [];

  add(failure: ScriptedFailure): void {
    this.#waiting.push({ failure, left: failure.times ?? 1 });
  }

  /** The failure meant for this request, counted down; undefined when it shall go well. */
  take(method: string, path: string): ScriptedFailure | undefined {
    const index = this.#waiting.findIndex(({ failure }) => fits(failure, method, path));
    const entry = this.#waiting[index];
    if (entry === undefined) return undefined;
    entry.left -= 1;
    if (entry.left <= 0) this.#waiting.splice(index, 1);
    return entry.failure;
  }
}

function fits(failure: ScriptedFailure, method: string, path: string): boolean {
  if (failure.method !== undefined && failure.method !== method) return false;
  if (failure.path === undefined) return true;
  return typeof failure.path === "string" ? failure.path === path : failure.path.test(path);
}
