import { readFileSync } from "node:fs";

/** Put in where the tool is one file: there is no package beside it (`scripts/bundle.ts`). */
declare const BUNDLE_VERSION: string | undefined;

/** The version of this release, as every archive tells it. */
export function ownVersion(): string {
  if (typeof BUNDLE_VERSION === "string") return BUNDLE_VERSION;
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
