import { z } from "zod";
import { route } from "./route.ts";

/** Where a key comes from: a safe label, never the value. */
const SourceLabel = z
  .string()
  .regex(/^(file|env):.+$/)
  .meta({ examples: ["env:NEST_BACKUP_KEY"] });

export const BackupStatus = z.object({
  available: z.boolean(),
  source: SourceLabel.optional(),
  /** Why no backup is possible; absent when one is. */
  reason: z.string().optional(),
  configPath: z.string().optional(),
});
export type BackupStatus = z.infer<typeof BackupStatus>;
export const backupStatus = route({
  method: "GET",
  path: "/api/backup/status",
  summary: "Whether this nest can be backed up now",
  access: "owner",
  reply: BackupStatus,
});

export const downloadBackup = route({
  method: "POST",
  path: "/api/backup",
  summary: "The sealed archive of this nest, as a download; 412 without a key, 429 while another is made",
  access: "owner",
  reply: z.string(),
});

export const BackupKeyState = z.object({
  ok: z.literal(true),
  configured: z.boolean(),
  usable: z.boolean(),
  source: z.string(),
  keyName: z.string(),
  algorithm: z.literal("aes-256-gcm"),
  reason: z.string(),
});
export type BackupKeyState = z.infer<typeof BackupKeyState>;
export const readBackupKey = route({
  method: "GET",
  path: "/api/config/governor/backup",
  summary: "Whether there is a backup key, where it comes from, whether it can be used; never the key",
  access: "owner",
  reply: BackupKeyState,
});

export const SetBackupKey = z.strictObject({
  encryptionKey: z.string({ error: "encryptionKey: is required" }),
  keyName: z.string().max(128, "keyName: at most 128 characters").optional(),
});
export const setBackupKey = route({
  method: "PUT",
  path: "/api/config/governor/backup",
  summary: "Set or replace the backup key: 64 hexadecimal characters; older archives keep needing the older key",
  access: "owner",
  body: SetBackupKey,
  reply: BackupKeyState.extend({ status: z.literal("updated") }),
});

export const clearBackupKey = route({
  method: "DELETE",
  path: "/api/config/governor/backup",
  summary: "Remove the key saved here; says which key remains, if any",
  access: "owner",
  reply: BackupKeyState.extend({ status: z.literal("cleared") }),
});
