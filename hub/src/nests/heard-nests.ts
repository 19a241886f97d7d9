import type { Clock, Log } from "@nest/kit";
import { sentenceOf } from "@nest/kit";
import type { Heartbeat, HostedNestRecord } from "@nest/protocol";
import type { Provisioner, RecordStore } from "@nest/provisioner";

export interface HeardNestsDeps {
  readonly records: Pick<RecordStore, "read" | "tombstone" | "onChange">;
  readonly provisioner: Pick<Provisioner, "heard">;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a heartbeat is judged by. */
type Known =
  | { readonly kind: "deleted" }
  | { readonly kind: "hosted"; readonly isPublic: boolean; readonly status: string }
  | { readonly kind: "other" };

/** Nests beat every two minutes; a record that was edited by hand counts after this time. */
const KEPT_MS = 30_000;
const MOST_KEPT = 5000;

/** What heartbeats mean for hosted nests: a deleted one stays deleted, one that was in error and beats is running. */
export class HeardNests {
  readonly #deps: HeardNestsDeps;
  readonly #known = new Map<string, { readonly known: Known; readonly at: number }>();

  constructor(deps: HeardNestsDeps) {
    this.#deps = deps;
    deps.records.onChange((id) => this.#known.delete(id));
  }

  /** The heartbeat as the registry shall take it; undefined for one of a nest that was deleted. */
  async take(heartbeat: Heartbeat): Promise<Heartbeat | undefined> {
    const id = heartbeat.nest_id;
    const known = await this.#of(id);
    if (known.kind === "deleted") return undefined;
    if (known.kind === "other") return heartbeat;
    if (known.status === "error" || known.status === "provisioning")
      await this.#deps.provisioner.heard(id, heartbeat.github_app_required === true).catch((thrown: unknown) => {
        this.#deps.log.warn(
          { nest: id, because: sentenceOf(thrown) },
          "a nest that beats could not be noted as running",
        );
      });
    // Who sees a hosted nest is switched on the hub: its own file may be older.
    return { ...heartbeat, is_public: known.isPublic };
  }

  async #of(id: string): Promise<Known> {
    const now = this.#deps.clock.now();
    const kept = this.#known.get(id);
    if (kept !== undefined && now - kept.at < KEPT_MS) return kept.known;
    const known = await this.#look(id);
    if (this.#known.size >= MOST_KEPT) this.#known.clear();
    this.#known.set(id, { known, at: now });
    return known;
  }

  async #look(id: string): Promise<Known> {
    const { records } = this.#deps;
    const record: HostedNestRecord | undefined = await records.read(id).catch(() => undefined);
    if (record !== undefined) return { kind: "hosted", isPublic: record.is_public, status: record.status };
    return (await records.tombstone(id)) === undefined ? { kind: "other" } : { kind: "deleted" };
  }
}
