import type { Platform } from "./platform.ts";

/** A sign-in that began and is not over. */
interface Pending {
  readonly userCode: string;
  readonly expiresAt: number;
  intervalSeconds: number;
  lastPollAt: number;
  state:
    | { readonly kind: "waiting" }
    | { readonly kind: "approved"; readonly login: string }
    | { readonly kind: "denied" };
}

const LIFE_SECONDS = 900;
/** Each poll that comes too early costs this much, as on the platform. */
const PENALTY_SECONDS = 5;

/** OAuth for devices without a browser: a code to type, and a token once somebody did. */
export class DeviceFlow {
  readonly #platform: Platform;
  readonly #intervalSeconds: number;
  readonly #pending = new Map<string, Pending>();

  constructor(platform: Platform, intervalSeconds: number) {
    this.#platform = platform;
    this.#intervalSeconds = intervalSeconds;
  }

  /** Answers `POST /login/device/code`. */
  start(fields: URLSearchParams): Record<string, unknown> {
    if ((fields.get("client_id") ?? "") === "") return { error: "incorrect_client_credentials" };
    const deviceCode = this.#platform.random.hex(20);
    const letters = this.#platform.random.hex(4).toUpperCase();
    const userCode = `${letters.slice(0, 4)}-${letters.slice(4)}`;
    this.#pending.set(deviceCode, {
      userCode,
      expiresAt: this.#platform.now() + LIFE_SECONDS * 1000,
      intervalSeconds: this.#intervalSeconds,
      lastPollAt: Number.NEGATIVE_INFINITY,
      state: { kind: "waiting" },
    });
    return {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: `${this.#platform.url}/login/device`,
      expires_in: LIFE_SECONDS,
      interval: this.#intervalSeconds,
    };
  }

  /** Answers `POST /login/oauth/access_token`. A code gives its token once. */
  poll(fields: URLSearchParams): Record<string, unknown> {
    const code = fields.get("device_code") ?? "";
    const pending = this.#pending.get(code);
    const now = this.#platform.now();
    if (pending === undefined) return { error: "incorrect_device_code" };
    if (now >= pending.expiresAt) return { error: "expired_token" };
    const early = now - pending.lastPollAt < pending.intervalSeconds * 1000;
    pending.lastPollAt = now;
    if (early) {
      pending.intervalSeconds += PENALTY_SECONDS;
      return { error: "slow_down", interval: pending.intervalSeconds };
    }
    if (pending.state.kind === "waiting") return { error: "authorization_pending" };
    this.#pending.delete(code);
    if (pending.state.kind === "denied") return { error: "access_denied" };
    const token = `gho_${this.#platform.random.hex(18)}`;
    this.#platform.store.state.tokens[token] = { login: pending.state.login };
    return { access_token: token, token_type: "bearer", scope: "" };
  }

  /** Somebody typed the code. False when no sign-in waits for it. */
  decide(userCode: string, decision: { readonly login: string } | "deny"): boolean {
    const wanted = userCode.trim().toUpperCase();
    for (const pending of this.#pending.values()) {
      if (pending.userCode !== wanted || pending.state.kind !== "waiting") continue;
      if (this.#platform.now() >= pending.expiresAt) continue;
      pending.state = decision === "deny" ? { kind: "denied" } : { kind: "approved", login: decision.login };
      return true;
    }
    return false;
  }
}
