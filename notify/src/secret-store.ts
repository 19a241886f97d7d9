import { createHash } from "node:crypto";
import { chmod, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type Environment,
  isAbsent,
  makePrivateFolder,
  NestError,
  readSmallText,
  Secret,
  variableOf,
  writeFileAtomic,
} from "@nest/kit";
import type { ChannelConfig } from "@nest/protocol";

/** A channel's secret as it is found now. */
export type FoundSecret =
  | { readonly kind: "saved" | "variable"; readonly secret: Secret }
  | { readonly kind: "missing" }
  | { readonly kind: "unusable"; readonly because: string };

export interface SecretPlace {
  readonly dataFolder: string;
  readonly environment: Environment;
  /** Whether a channel may take its secret from its variable where it leads now; always, where this is not given. */
  readonly mayUseVariable?: (name: string, channel: ChannelConfig) => boolean;
}

/**
 * A digest of where a channel's messages, and with them its secret, go. A secret is saved with the digest of the place that it was
 * given for, and goes to no other.
 */
export function placeOf(channel: ChannelConfig): string {
  const { kind } = channel;
  const place =
    kind === "email"
      ? [
          channel.host,
          channel.port ?? null,
          channel.tls ?? null,
          channel.user ?? null,
          channel.from,
          [channel.to].flat(),
        ]
      : [channel.url ?? null];
  return createHash("sha256")
    .update(JSON.stringify([kind, ...place]))
    .digest("hex");
}

/** Where a channel's secret is: the variable that the configuration names, or else the file that was saved here. */
export async function findSecret(name: string, channel: ChannelConfig, place: SecretPlace): Promise<FoundSecret> {
  const variable = channel.secret ? variableOf(channel.secret) : undefined;
  if (variable !== undefined) {
    const value = place.environment[variable]?.trim();
    if (value !== undefined && value !== "" && place.mayUseVariable?.(name, channel) === false)
      return { kind: "unusable", because: `the secret in ${variable} was not given for this address: give it again` };
    if (value !== undefined && value !== "") return { kind: "variable", secret: new Secret(value) };
    return { kind: "unusable", because: `the variable ${variable} is not set` };
  }
  try {
    const text = await readSmallText(fileOf(place, name));
    if (text === undefined) return { kind: "unusable", because: "the file of its secret is no file that holds one" };
    const { secret, savedFor } = partsOf(text);
    if (secret === "") return { kind: "missing" };
    if (savedFor === placeOf(channel)) return { kind: "saved", secret: new Secret(secret) };
    return {
      kind: "unusable",
      because: `its secret was saved for ${savedFor === undefined ? "no address that is known" : "another address"}: save it again`,
    };
  } catch (thrown) {
    if (isAbsent(thrown)) return { kind: "missing" };
    const { code } = thrown as NodeJS.ErrnoException;
    return { kind: "unusable", because: `the file of its secret cannot be read (${code})` };
  }
}

/**
 * Saves a channel's secret into a file of mode 0600.
 *
 * @throws NestError `bad_request` for a text that is no secret of this kind, `conflict` where a variable is named for it.
 */
export async function saveSecret(
  name: string,
  channel: ChannelConfig,
  text: string,
  place: SecretPlace,
): Promise<void> {
  const secret = text.trim();
  if (secret === "") {
    throw new NestError("bad_request", "secret: is empty", { hint: "to remove the secret, use DELETE" });
  }
  if (!/^[\x21-\x7e]+$/.test(secret) && channel.kind !== "email")
    throw new NestError("bad_request", "secret: has characters that no such secret has");
  if (/[\u0000-\u001f\u007f]/.test(secret)) throw new NestError("bad_request", "secret: is more than one line");
  if (channel.kind === "webhook" && secret.length < 16)
    throw new NestError("bad_request", "secret: a key to sign with has at least 16 characters");
  if (channel.secret) {
    throw new NestError("conflict", `the configuration takes the secret of ${name} from a variable`, {
      hint: "remove the variable from the channel's configuration first",
    });
  }
  const file = fileOf(place, name);
  await makePrivateFolder(dirname(file));
  // One that was there before may be open to others.
  await chmod(dirname(file), 0o700);
  await write(file, secret, channel);
}

/**
 * Binds a secret that an earlier release saved, or that somebody put there by hand, to the place where the channel leads now. Call it
 * before the first message: later nobody knows any more for which place it was given.
 */
export async function bindSecret(name: string, channel: ChannelConfig, place: SecretPlace): Promise<void> {
  const file = fileOf(place, name);
  // What cannot be read says so wherever it is used.
  const text = await readSmallText(file).catch(() => undefined);
  if (text === undefined) return;
  const { secret, savedFor } = partsOf(text);
  if (secret !== "" && savedFor === undefined) await write(file, secret, channel);
}

export async function clearSecret(name: string, { dataFolder }: Pick<SecretPlace, "dataFolder">): Promise<void> {
  await rm(fileOf({ dataFolder }, name), { force: true });
}

const SAVED_FOR = "for ";

/** The secret in the first line of its file, and the place that the second line says it is for. */
function partsOf(text: string): { readonly secret: string; readonly savedFor: string | undefined } {
  const [secret = "", second = ""] = text.trim().split("\n");
  return { secret: secret.trim(), savedFor: second.startsWith(SAVED_FOR) ? second.slice(SAVED_FOR.length) : undefined };
}

function write(file: string, secret: string, channel: ChannelConfig): Promise<void> {
  return writeFileAtomic(file, `${secret}\n${SAVED_FOR}${placeOf(channel)}\n`, { mode: 0o600 });
}

function fileOf({ dataFolder }: Pick<SecretPlace, "dataFolder">, name: string): string {
  return join(dataFolder, "secrets", `notification_${name}`);
}
