import { z } from "zod";

/** Declared fields are cut to this many code points (spec: Limits, declared field length). */
export const DECLARED_LENGTH = 64;

/** The facts a relay declares about its machine; display only, never used for access or routing (spec: DECLARE). */
export const factNames = [
  "container_runtime",
  "os",
  "arch",
  "agent_cli_version",
  "relay_protocol_version",
  "credential_type",
  /** Why the relay cannot work at this moment, where it cannot: it asks for no work then. An addition of ours. */
  "trouble",
] as const;
export type FactName = (typeof factNames)[number];
export type DeclaredFacts = { readonly [Name in FactName]?: string };

/** As they come over the wire: anything at all; {@link cleanFacts} makes them presentable. */
export const Capabilities = z
  .looseObject({ relay_capabilities: z.array(z.string()).max(64).optional().catch(undefined) })
  .catch({});
export type Capabilities = z.infer<typeof Capabilities>;

// Control and format characters, surrogate halves, private use, unassigned; line and paragraph separators fold as white space.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\ufffd]/gu;

/**
 * One declared value made presentable: control characters stripped, white space folded, at most 64 code points. Never
 * refuses; a value that is not text, or has nothing left, is undefined (unknown).
 */
export function cleanDeclared(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  // Cut roughly first, so a 60 kB value costs no more than a short one.
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
