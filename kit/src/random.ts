import { randomBytes } from "node:crypto";

/** Randomness, passed in. */
export interface Random {
  /** A number in [0, 1), for jitter and turns; never for secrets. */
  fraction(): number;
  /** `bytes` random bytes as lowercase hexadecimal. */
  hex(bytes: number): string;
}

/** Bytes that are read from the system at once: a read costs as much as a thousand bytes of it. */
const POOL_BYTES = 4096;

/** The system's randomness; `hex` is fit for tokens. No byte is used twice, and none is kept after it was used. */
export function systemRandom(): Random {
  let pool = Buffer.alloc(0);
  let used = 0;
  return {
    fraction: () => Math.random(),
    hex(bytes) {
      if (bytes > POOL_BYTES) return randomBytes(bytes).toString("hex");
      if (used + bytes > pool.length) [pool, used] = [randomBytes(POOL_BYTES), 0];
      const taken = pool.subarray(used, used + bytes);
      const text = taken.toString("hex");
      taken.fill(0);
      used += bytes;
      return text;
    },
  };
}

/** Repeatable randomness for simulations and tests (mulberry32). Never for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    fraction: next,
    hex: (bytes) =>
      Array.from({ length: bytes }, () =>
        Math.floor(next() * 256)
          .toString(16)
          .padStart(2, "0"),
      ).join(""),
  };
}
