import type { DeciderPolicy } from "@nest/dispatch";
import { defaultTierLimits, type Tier } from "@nest/protocol";

/** The rules that admins of a world switch on and off. */
export class Rules {
  suspended = false;
  readonly #disabledTiers = new Set<Tier>();

  get policy(): DeciderPolicy {
    return {
      suspended: this.suspended,
      disabledTiers: this.#disabledTiers,
      limits: defaultTierLimits,
      promotion: { contributorAt: 5, trustedAt: 20 },
    };
  }

  switchTier(tier: Tier): void {
    if (!this.#disabledTiers.delete(tier)) this.#disabledTiers.add(tier);
  }

  /** Everybody may work. */
  open(): void {
    this.suspended = false;
    this.#disabledTiers.clear();
  }
}
