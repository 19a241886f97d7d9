import { readFileSync } from "node:fs";

/** Defined when the tool is bundled into one file, which has no package.json beside it (`scripts/bundle.ts`). */
declare const BUNDLE_VERSION: string | undefined;

/** The version of this release; every archive records it. */
export function ownVersion(): string {
  if (typeof BUNDLE_VERSION === "string") return BUNDLE_VERSION;
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
