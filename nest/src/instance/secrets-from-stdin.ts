import { Secret, UsageError } from "@nest/kit";
import type { NestSecrets } from "@nest/provisioner";

const FIELDS = {
  "hub-secret": "hubSecret",
  "app-key.pem": "appKey",
  "github-token": "githubToken",
  litellm_api_key: "litellmApiKey",
  "dashboard-token": "dashboardToken",
} as const;
/** A key file is a few thousand characters; whoever pipes a whole disk in by mistake is told early. */
const MOST_BYTES = 64 * 1024;

/**
 * Reads secrets as a JSON object from standard input: neither arguments nor the environment show them to other users.
 *
 * @throws UsageError naming the key and never a value.
 */
export async function readSecrets(input: AsyncIterable<Uint8Array>): Promise<NestSecrets> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of input) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > MOST_BYTES) throw new UsageError(`standard input: more than ${MOST_BYTES} bytes of secrets`);
  }
  const secrets: Partial<Record<(typeof FIELDS)[keyof typeof FIELDS], Secret>> = {};
  for (const [key, value] of Object.entries(objectIn(Buffer.concat(pieces).toString("utf8")))) {
    if (!Object.hasOwn(FIELDS, key))
      throw new UsageError(`standard input: unknown secret ${JSON.stringify(key)}`, {
        hint: `known are ${Object.keys(FIELDS).join(", ")}`,
      });
    if (typeof value !== "string" || value === "") throw new UsageError(`standard input: ${key} is no text`);
    secrets[FIELDS[key as keyof typeof FIELDS]] = new Secret(value);
  }
  return secrets;
}

function objectIn(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // The cause would quote what was read.
  }
  throw new UsageError("standard input: expected one JSON object of secrets", {
    hint: "nest instance -h shows its keys",
  });
}
