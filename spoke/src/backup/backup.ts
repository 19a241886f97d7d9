import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { type ArchiveKey, archiveName, writeArchive } from "@nest/archive";
import { type Clock, type Log, NestError, type Random } from "@nest/kit";
import type { backup, NestActivityEvent } from "@nest/protocol";
import type { Author } from "../config/overlay-record.ts";
import { appendAudit } from "./audit.ts";
import { type KeySources, type ResolvedKey, resolveKey } from "./key-sources.ts";
import { clearKey, isKeySaved, saveKey } from "./key-store.ts";
import { collectSpokeFiles, spokeManifest } from "./spoke-archive.ts";

export interface BackupParts {
  /** Where overlay, key and audit are. */
  readonly dataFolder: string;
  /** Whose files are stored: the data folder, or a copy of it that was mounted (spec: `NEST_SPOKE_BACKUP_DATA_DIR`). */
  readonly filesFolder: string;
  readonly secretsFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly nestId: string;
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Tells the activity what became of backups and their key. */
  readonly tell: (event: NestActivityEvent) => void;
  /** `governor.backup` as it is now: seed with the overlay over it. */
  readonly settings: () => Promise<BackupSettings>;
}

export interface BackupSettings {
  readonly key_file?: string | undefined;
  readonly key_env?: string | undefined;
  readonly key_name?: string | undefined;
}

/** An archive on its way to the owner. */
export interface BackupDownload {
  readonly name: string;
  readonly files: number;
  readonly beadFolders: number;
  readonly content: Readable;
}

const WHERE = "governor:Security";
/** A download that takes longer than this is not being read. */
const LONGEST_MS = 10 * 60_000;

/** The owner's backup of this nest: the key's life, and one archive at a time. */
export class Backup {
  readonly #parts: BackupParts;
  #running = false;
  /** The end of the last download, with its audit on disk. */
  #ending: Promise<void> = Promise.resolve();

  constructor(parts: BackupParts) {
    this.#parts = parts;
  }

  /** Whether a backup could be made now (GET /api/backup/status). */
  async status(): Promise<backup.BackupStatus> {
    const { resolved } = await this.#key();
    if (resolved.kind === "key") return { available: true, source: resolved.source };
    return { available: false, reason: reasonOf(resolved), configPath: WHERE };
  }

  /** What is known of the key, never the key. */
  async keyState(): Promise<backup.BackupKeyState> {
    const { resolved, settings } = await this.#key();
    return {
      ok: true,
      configured: resolved.kind !== "none",
      usable: resolved.kind === "key",
      source: resolved.kind === "none" ? "" : resolved.source,
      keyName: settings.key_name ?? "",
      algorithm: "aes-256-gcm",
      reason: resolved.kind === "unusable" ? resolved.because : "",
    };
  }

  /** Sets or replaces the key. Older archives keep needing the older one. */
  async setKey(actor: string, text: string, label: string | undefined): Promise<backup.BackupKeyState> {
    const before = await this.keyState();
    await saveKey(this.#parts.dataFolder, text, { label, author: this.#author(actor) });
    const after = await this.keyState();
    await this.#audit(actor, "set", before, after);
    this.#parts.tell({ action: "backup key saved", detail: `by ${actor}` });
    this.#parts.log.info({ source: after.source }, "backup encryption key stored");
    return after;
  }

  /** Removes the key that was saved here and says what remains. Where none was saved nothing happened, and nothing is told. */
  async clearKey(actor: string): Promise<backup.BackupKeyState> {
    const before = await this.keyState();
    const { settings } = await this.#key();
    if (!(await isKeySaved(this.#parts.dataFolder, settings))) return before;
    await clearKey(this.#parts.dataFolder, settings.key_file, this.#author(actor));
    const after = await this.keyState();
    await this.#audit(actor, "clear", before, after);
    this.#parts.tell({ action: "backup key removed", detail: `by ${actor}` });
    this.#parts.log.info({ remains: after.source }, "backup encryption key removed");
    return after;
  }

  /**
   * Begins an archive. It is made while it is read, and never opens as one when it was broken off.
   *
   * @throws NestError `backup_key_missing`, `backup_key_unusable`, `backup_running`, `backup_too_large`.
   */
  async begin(actor: string): Promise<BackupDownload> {
    try {
      return await this.#begin(actor);
    } catch (thrown) {
      // Another one that is being made says itself what becomes of it.
      if (thrown instanceof NestError && thrown.code !== "backup_running")
        this.#parts.tell({ action: "backup failed", detail: `${thrown.message}, asked for by ${actor}` });
      throw thrown;
    }
  }

  async #begin(actor: string): Promise<BackupDownload> {
    const { resolved } = await this.#key();
    if (resolved.kind === "none") {
      throw new NestError("backup_key_missing", "no backup key is configured", {
        hint: "save one on the Backup page, or set NEST_BACKUP_KEY",
      });
    }
    if (resolved.kind === "unusable")
      throw new NestError("backup_key_unusable", reasonOf(resolved), { hint: "correct or remove that key" });
    if (this.#running)
      throw new NestError("backup_running", "another backup of this nest is being made", {
        hint: "wait for it to end, and try again in 10 s",
      });
    this.#running = true;
    try {
      return this.#seal(resolved.key, actor);
    } catch (thrown) {
      this.#running = false;
      throw thrown;
    }
  }

  /** Resolves when nothing of a download is left to be written. */
  async settled(): Promise<void> {
    await this.#ending;
  }

  #seal(key: ArchiveKey, actor: string): BackupDownload {
    const { dataFolder, filesFolder, nestId, version, clock, random, log } = this.#parts;
    const startedAt = clock.now();
    const { count, members, beadFolders, skipped } = collectSpokeFiles(filesFolder);
    const stop = new AbortController();
    const late = clock.after(LONGEST_MS, () => stop.abort(new Error("the download took too long")));
    const facts = { nestId, version, archiveId: random.hex(16), dataFolder: filesFolder, startedAt };
    let bytes = 0;
    const archive = writeArchive({
      key,
      salt: randomBytes(32),
      members: members(),
      manifest: (files) => spokeManifest(files, skipped, { ...facts, finishedAt: clock.now() }),
      progress: (soFar) => {
        bytes = soFar.bytes;
      },
      signal: stop.signal,
    });
    const content = Readable.from(archive, { objectMode: false });
    const ended = new Promise<void>((resolve) => content.once("close", resolve));
    this.#ending = ended.then(async () => {
      late();
      stop.abort(new Error("the download was broken off"));
      this.#running = false;
      const gaps = Object.keys(skipped).length;
      const whole = content.readableEnded;
      const told = { id: nestId, files: count, bead_dirs: beadFolders, bytes, gaps };
      if (whole) log.info(told, "spoke backup created");
      else log.warn({ id: nestId }, "spoke backup broken off");
      this.#tellOfDownload(actor, whole, { files: count, gaps });
      const at = new Date(clock.now()).toISOString();
      await appendAudit(dataFolder, {
        at,
        actor,
        action: "backup",
        after: { files: count, gaps, whole },
      }).catch((thrown) => log.error({ err: thrown }, "the audit could not be written"));
    });
    return { name: archiveName("spoke", nestId, startedAt), files: count, beadFolders, content };
  }

  #tellOfDownload(actor: string, isWhole: boolean, { files, gaps }: { files: number; gaps: number }): void {
    if (!isWhole) return this.#parts.tell({ action: "backup failed", detail: `broken off, asked for by ${actor}` });
    const left = gaps === 0 ? "" : `; ${gaps} could not be stored`;
    this.#parts.tell({ action: "backup taken", detail: `${files} files, by ${actor}${left}` });
  }

  #author(by: string): Author {
    return { by, at: new Date(this.#parts.clock.now()).toISOString() };
  }

  async #key(): Promise<{ resolved: ResolvedKey; settings: BackupSettings }> {
    const { dataFolder, secretsFolder, environment } = this.#parts;
    const settings = await this.#parts.settings();
    const sources: KeySources = {
      keyFile: settings.key_file,
      keyEnv: settings.key_env,
      dataFolder,
      secretsFolder,
      environment,
    };
    return { resolved: await resolveKey(sources), settings };
  }

  #audit(
    actor: string,
    action: "set" | "clear",
    before: backup.BackupKeyState,
    after: backup.BackupKeyState,
  ): Promise<void> {
    const shown = ({ configured, source, keyName }: backup.BackupKeyState) => ({
      key: configured ? "[secret]" : null,
      source,
      keyName,
    });
    const at = new Date(this.#parts.clock.now()).toISOString();
    return appendAudit(this.#parts.dataFolder, {
      at,
      actor,
      action: `config_governor_backup_key ${action}`,
      before: shown(before),
      after: shown(after),
    });
  }
}

function reasonOf(resolved: Exclude<ResolvedKey, { kind: "key" }>): string {
  if (resolved.kind === "unusable") return `${resolved.source}: ${resolved.because}`;
  return "no backup key is configured; save one on the Backup page, or set NEST_BACKUP_KEY";
}
