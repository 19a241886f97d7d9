import { open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { NestError } from "@nest/kit";
import type { FastifyInstance, RouteHandlerMethod } from "fastify";

/** What a disk says that takes no more, or nothing at all; with the words for people. */
const WORDS: Readonly<Record<string, string>> = {
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left",
  EDQUOT: "the quota of the disk is used up",
  EIO: "the disk fails",
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  ENOTDIR: "a file stands where a folder must be",
  EISDIR: "a folder stands where a file must be",
};

/** Why the disk refused something; undefined for a failure of another kind. */
export function diskWords(thrown: unknown): string | undefined {
  const { code } = (thrown ?? {}) as NodeJS.ErrnoException;
  if (thrown instanceof NestError || code === undefined || !Object.hasOwn(WORDS, code)) return undefined;
  return `${WORDS[code]} (${code})`;
}

/**
 * Writes a little into the data folder and takes it away again, and opens the audit as an act does.
 *
 * @throws the system's error where that fails.
 */
export async function tryStorage(dataFolder: string): Promise<void> {
  const probe = join(dataFolder, ".nest-write-probe");
  await writeFile(probe, "can this folder be written to?\n", { mode: 0o600 });
  await rm(probe, { force: true });
  await (await open(join(dataFolder, "audit.jsonl"), "a", 0o600)).close();
}

/** @throws NestError `storage_unavailable` where the data folder cannot be written to. */
export async function mustBeStorable(dataFolder: string): Promise<void> {
  await tryStorage(dataFolder).catch((thrown: unknown) => {
    throw foreseenStorage(thrown);
  });
}

/** A disk's refusal in our words; anything else as it is. */
export function foreseenStorage(thrown: unknown): unknown {
  const words = diskWords(thrown);
  if (words === undefined) return thrown;
  return new NestError("storage_unavailable", `the nest's data cannot be written: ${words}`, {
    hint: "look at the disk of the data folder, and try again in 60 s",
    cause: thrown,
  });
}

/** Answers 503 with the reason, and not 500, wherever a route fails because of the disk. Call it before routes are served. */
export function answerForStorage(http: FastifyInstance): void {
  http.addHook("onRoute", (route) => {
    const { handler } = route;
    const answering: RouteHandlerMethod = async function answering(this: FastifyInstance, request, reply) {
      try {
        return await handler.call(this, request, reply);
      } catch (thrown) {
        const foreseen = foreseenStorage(thrown);
        if (foreseen !== thrown) request.log.error({ err: thrown }, "the nest's data cannot be written");
        throw foreseen;
      }
    };
    route.handler = answering;
  });
}
