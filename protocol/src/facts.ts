import { z } from "zod";

/** Declared fields are cut to this many code points. */
export const DECLARED_LENGTH = 64;

/** The facts a relay declares about its machine. They are only displayed: access and routing never depend on them. */
export const factNames = [
  "container_runtime",
  "os",
  "arch",
  "agent_cli_version",
  "relay_protocol_version",
  "credential_type",
  /** Why the relay cannot work at this moment, absent when it can. While it is set, the relay asks for no work. */
  "trouble",
] as const;
export type FactName = (typeof factNames)[number];
export type DeclaredFacts = { readonly [Name in FactName]?: string };

/** Facts as they were received, unchecked; {@link cleanFacts} makes them safe to show. */
export const Capabilities = z
  .looseObject({ relay_capabilities: z.array(z.string()).max(64).optional().catch(undefined) })
  .catch({});
export type Capabilities = z.infer<typeof Capabilities>;

// Control and format characters, surrogate halves, private use, unassigned; line and paragraph separators fold as white space.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\ufffd]/gu;

/**
 * Makes one declared value safe to show: strips control characters, folds white space, keeps at most 64 code points. Never
 * throws; a value that is not text, or has nothing left, becomes undefined (unknown).
 */
export function cleanDeclared(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  // Cut roughly first, so that a value of 60 kB costs no more than a short one.
  const printable = value.slice(0, 4096).replace(/\s+/g, " ").replace(UNPRINTABLE, "").trim();
  const cut = [...printable].slice(0, DECLARED_LENGTH).join("").trim();
  return cut === "" ? undefined : cut;
}

const NO_FACTS: DeclaredFacts = Object.freeze({});

/** The known facts out of a `capabilities` object, each cleaned; unknown ones are left out. */
export function cleanFacts(capabilities: Readonly<Record<string, unknown>> | undefined): DeclaredFacts {
  if (capabilities === undefined) return NO_FACTS;
  const facts: { [Name in FactName]?: string } = {};
  for (const name of factNames) {
    const value = cleanDeclared(capabilities[name]);
    if (value !== undefined) facts[name] = value;
  }
  return facts;
}
