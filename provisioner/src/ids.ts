import { NestError, type Random } from "@nest/kit";
import { MOST_NEST_ID } from "@nest/protocol";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
const SUFFIX = 4;
/** How often another suffix is tried before giving up: with 1.6 million of them a second try is rare already. */
const TRIES = 20;

/** Whether an id is in use, or was: a record, a tombstone or a namespace of that name. */
export type IsTaken = (id: string) => Promise<boolean>;

/**
 * A new id, `hosted-<org>-<primary_repo>-<4 characters>` (spec: Hosted instance record): lower-cased, every run of other
 * characters one `-`, at most 51 characters so that the namespace has at most 63.
 *
 * @throws NestError `nest_id_exhausted` when every try was taken.
 */
export async function newNestId(
  name: { readonly org: string; readonly primaryRepo: string },
  random: Random,
  isTaken: IsTaken,
): Promise<string> {
  const repo = name.primaryRepo.split("/").at(-1) ?? "";
  return unusedId(["hosted", plain(name.org), plain(repo)], random, isTaken);
}

/** The id of a placeholder: `hosted-available-<cluster>-<yymmdd>-<4 characters>`. */
export async function newPlaceholderId(
  clusterId: string,
  nowMs: number,
  random: Random,
  isTaken: IsTaken,
): Promise<string> {
  const day = new Date(nowMs).toISOString().slice(2, 10).replaceAll("-", "");
  return unusedId(["hosted-available", plain(clusterId).slice(0, 20), day], random, isTaken);
}

async function unusedId(parts: readonly string[], random: Random, isTaken: IsTaken): Promise<string> {
  const stem = parts
    .filter((part) => part !== "")
    .join("-")
    .slice(0, MOST_NEST_ID - SUFFIX - 1)
    .replace(/-+$/, "");
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const id = `${stem}-${suffix(random)}`;
    if (!(await isTaken(id))) return id;
  }
  throw new NestError("nest_id_exhausted", `no free id was found that begins with ${stem}`, {
    hint: "try again, or give the nest another project",
  });
}

function plain(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
}

/** Bytes that would make some letters likelier than others are thrown away. */
function suffix(random: Random): string {
  const limit = 256 - (256 % ALPHABET.length);
  let text = "";
  while (text.length < SUFFIX) {
    const byte = Number.parseInt(random.hex(1), 16);
    if (byte < limit) text += ALPHABET[byte % ALPHABET.length];
  }
  return text;
}
