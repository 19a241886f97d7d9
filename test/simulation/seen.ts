import type { Changes, Effect } from "@nest/dispatch";

/** Kinds of things that happened at least once in a world. */
export class Seen {
  readonly kinds = new Set<string>();

  add(kind: string): void {
    this.kinds.add(kind);
  }

  effect(effect: Effect): void {
    if (effect.kind === "unavailable") this.kinds.add(effect.reason);
    if (effect.kind === "credential_due" && effect.resumed) this.kinds.add("resumed");
  }

  changes(changes: Changes): void {
    for (const { outcome } of changes.endings) this.kinds.add(outcome);
    for (const { holdReason } of changes.items.values()) if (holdReason !== undefined) this.kinds.add(holdReason);
    if (changes.granted.size > 0) this.kinds.add("assigned");
  }
}
