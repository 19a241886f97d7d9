import { backoffMs, NestError } from "@nest/kit";
import { ClusterBusy, clusterFault } from "./cluster.ts";
import type { Discovery } from "./discovery.ts";
import { listPages, objectIn } from "./list-pages.ts";
import type { KubernetesObject, ObjectKind, WatchEvent, WatchReader } from "./managed.ts";
import type { ApiRequests, Timing } from "./requests.ts";
import { linesOf } from "./watch-lines.ts";

const BETWEEN_TRIES = { firstMs: 500, longestMs: 30_000 };
/** The server ends a watch after a while, so that its load spreads; at a random time, so that not all end together. */
const SHORTEST_WATCH_SECONDS = 240;
/** A watch that lived this long was a good one: the next trouble begins with short pauses again. */
const GOOD_WATCH_MS = 20_000;
const KEEPS_VERSION: ReadonlySet<string> = new Set([
  "cluster_busy",
  "cluster_forbidden",
  "cluster_timeout",
  "cluster_unauthorized",
  "cluster_unreachable",
]);

interface Reader {
  readonly namespace: string | undefined;
  readonly follow: WatchReader;
  /** Whether it was told what is there; until then changes are not for it. */
  isCaughtUp: boolean;
  end(thrown?: unknown): void;
}

/**
 * One watch of a kind for any number of readers. It keeps the objects as it last heard of them, so that a reader that comes
 * later need not ask the cluster.
 *
 * It lists, then watches from there. When the connection ends or breaks, it watches on from the last version it heard of. When
 * the cluster no longer knows that version (410) or talks nonsense, it lists anew and tells its readers the difference.
 */
export class SharedWatch {
  readonly #deps: { readonly requests: ApiRequests; readonly discovery: Discovery; readonly timing: Timing };
  readonly #kind: ObjectKind;
  readonly #labelSelector: string | undefined;
  readonly #readers = new Set<Reader>();
  readonly #stop = new AbortController();
  readonly #onUnused: () => void;
  #objects = new Map<string, KubernetesObject>();
  /** Where to watch on from; undefined when a list is needed. */
  #version: string | undefined;
  #isSynced = false;

  constructor(
    deps: { readonly requests: ApiRequests; readonly discovery: Discovery; readonly timing: Timing },
    what: { readonly kind: ObjectKind; readonly labelSelector: string | undefined },
    onUnused: () => void,
  ) {
    this.#deps = deps;
    this.#kind = what.kind;
    this.#labelSelector = what.labelSelector;
    this.#onUnused = onUnused;
  }

  /** Reads along until the reader's signal. The last reader to leave ends the watch. */
  read(namespace: string | undefined, follow: WatchReader): Promise<void> {
    if (follow.signal.aborted) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const onAbort = () => reader.end();
      const reader: Reader = {
        namespace,
        follow,
        isCaughtUp: !this.#isSynced,
        end: (thrown) => {
          follow.signal.removeEventListener("abort", onAbort);
          this.#readers.delete(reader);
          if (this.#readers.size === 0) this.#end();
          if (thrown === undefined) resolve();
          else reject(thrown);
        },
      };
      follow.signal.addEventListener("abort", onAbort, { once: true });
      if (this.#readers.size === 0) void this.#run();
      this.#readers.add(reader);
      if (!reader.isCaughtUp) queueMicrotask(() => this.#catchUp(reader));
    });
  }

  #catchUp(reader: Reader): void {
    reader.isCaughtUp = true;
    for (const object of this.#objects.values()) this.#tell(reader, { type: "added", object });
    this.#tellSynced(reader);
  }

  #end(): void {
    this.#onUnused();
    this.#stop.abort();
  }

  async #run(): Promise<void> {
    const { clock, random } = this.#deps.timing;
    const { signal } = this.#stop;
    for (let attempt = 0; !signal.aborted; ) {
      const began = clock.now();
      let heard = false;
      let fault: NestError | undefined;
      try {
        if (this.#version === undefined) await this.#relist();
        heard = await this.#listen();
      } catch (thrown) {
        if (signal.aborted) return;
        fault =
          thrown instanceof NestError ? thrown : new NestError("cluster_failed", String(thrown), { cause: thrown });
        this.#digest(fault);
      }
      attempt = heard || clock.now() - began > GOOD_WATCH_MS ? 0 : attempt + 1;
      if (fault === undefined && attempt === 0) continue;
      const asked = fault instanceof ClusterBusy ? (fault.retryAfterMs ?? 0) : 0;
      await clock.sleep(Math.max(asked, backoffMs(attempt, BETWEEN_TRIES, random)), signal).catch(() => undefined);
    }
  }

  /** After a mere loss or refusal the version still holds. One that has expired, or that nonsense followed, is given up. */
  #digest(fault: NestError): void {
    if (!KEEPS_VERSION.has(fault.code)) this.#version = undefined;
    if (fault.code === "cluster_gone") return;
    for (const { follow } of [...this.#readers]) follow.onFault?.(fault);
  }

  async #relist(): Promise<void> {
    const { signal } = this.#stop;
    const path = await this.#deps.discovery.pathOf(this.#kind, undefined, signal);
    const call = { path, kind: this.#kind, labelSelector: this.#labelSelector, signal, isOnce: true };
    const { objects, resourceVersion } = await listPages(this.#deps.requests, call);
    const before = this.#objects;
    this.#objects = new Map(objects.map((object) => [keyOf(object), object]));
    for (const [key, object] of this.#objects) {
      const old = before.get(key);
      if (
        old?.metadata.uid === object.metadata.uid &&
        old?.metadata.resourceVersion === object.metadata.resourceVersion
      )
        continue;
      this.#tellAll({ type: old === undefined ? "added" : "modified", object });
    }
    for (const [key, object] of before) if (!this.#objects.has(key)) this.#tellAll({ type: "deleted", object });
    this.#version = resourceVersion;
    this.#isSynced = true;
    for (const reader of [...this.#readers]) this.#tellSynced(reader);
  }

  /** Follows the cluster's events until the connection ends; true when any came. */
  async #listen(): Promise<boolean> {
    const { signal } = this.#stop;
    const { requests, discovery, timing } = this.#deps;
    const what = `watch of ${this.#kind.kind}`;
    const query = new URLSearchParams({ watch: "true", allowWatchBookmarks: "true" });
    query.set("resourceVersion", this.#version ?? "");
    query.set("timeoutSeconds", String(Math.round(SHORTEST_WATCH_SECONDS * (1 + timing.random.fraction()))));
    if (this.#labelSelector !== undefined) query.set("labelSelector", this.#labelSelector);
    const path = `${await discovery.pathOf(this.#kind, undefined, signal)}?${query}`;
    let heard = false;
    for await (const line of linesOf(requests.pieces({ method: "GET", path, what, signal }), what)) {
      this.#take(line, what);
      heard = true;
    }
    return heard;
  }

  #take(line: string, what: string): void {
    const { type, object: raw } = eventIn(line, what);
    if (type === "ERROR") {
      const { code, message } = raw as { code?: unknown; message?: unknown };
      throw clusterFault(Number(code) || 500, what, typeof message === "string" ? message.slice(0, 300) : "");
    }
    const { metadata } = raw as { metadata?: { resourceVersion?: unknown } };
    if (typeof metadata?.resourceVersion !== "string")
      throw new NestError("cluster_failed", `${what}: an event without a version`);
    if (type !== "BOOKMARK") this.#change(type, objectIn({ ...this.#kind, ...(raw as object) }, what));
    this.#version = metadata.resourceVersion;
  }

  #change(type: "ADDED" | "MODIFIED" | "DELETED", object: KubernetesObject): void {
    const key = keyOf(object);
    const wasThere = this.#objects.has(key);
    if (type === "DELETED") this.#objects.delete(key);
    else this.#objects.set(key, object);
    if (type === "DELETED" && !wasThere) return;
    this.#tellAll({ type: type === "DELETED" ? "deleted" : wasThere ? "modified" : "added", object });
  }

  #tellAll(event: Extract<WatchEvent, { object: KubernetesObject }>): void {
    for (const reader of [...this.#readers]) this.#tell(reader, event);
  }

  #tell(reader: Reader, event: Extract<WatchEvent, { object: KubernetesObject }>): void {
    if (isIn(reader.namespace)(event.object)) this.#say(reader, event);
  }

  #tellSynced(reader: Reader): void {
    this.#say(reader, { type: "synced", objects: [...this.#objects.values()].filter(isIn(reader.namespace)) });
  }

  #say(reader: Reader, event: WatchEvent): void {
    if (!this.#readers.has(reader) || !reader.isCaughtUp) return;
    try {
      reader.follow.onEvent(event);
    } catch (thrown) {
      reader.end(thrown);
    }
  }
}

function isIn(namespace: string | undefined): (object: KubernetesObject) => boolean {
  return (object) => namespace === undefined || object.metadata.namespace === namespace;
}

function keyOf({ metadata }: KubernetesObject): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

function eventIn(
  line: string,
  what: string,
): { readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR"; readonly object: unknown } {
  let event: { type?: unknown; object?: unknown } | null = null;
  try {
    event = JSON.parse(line) as { type?: unknown; object?: unknown } | null;
  } catch {
    // Told below, with whatever else is no event.
  }
  const { type, object } = event ?? {};
  const isKnown =
    type === "ADDED" || type === "MODIFIED" || type === "DELETED" || type === "BOOKMARK" || type === "ERROR";
  if (!isKnown || typeof object !== "object" || object === null)
    throw new NestError("cluster_failed", `${what}: a line that is no event`);
  return { type, object };
}
