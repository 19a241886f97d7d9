import type { Effect } from "@nest/dispatch";

/** What hubs decided, folded into one number. */
export class Trace {
  value = 0;

  fold(effect: Effect): void {
    const text =
      effect.kind === "assign"
        ? `assign ${effect.connection} ${effect.lease.key}`
        : effect.kind === "unavailable"
          ? `no ${effect.connection} ${effect.reason}`
          : effect.kind;
    for (let at = 0; at < text.length; at += 1) this.value = (Math.imul(this.value, 31) + text.charCodeAt(at)) | 0;
  }
}
