import { NestError } from "@nest/kit";
import { backup, type Route } from "@nest/protocol";
import type { FastifyInstance } from "fastify";
import { requireOwner } from "../access/require-owner.ts";
import type { VisitorRules } from "../access/visitor.ts";
import type { Backup } from "./backup.ts";

/** What the owner's backup answers to, for the description of the API. */
export const backupRoutes: readonly Route[] = [
  backup.backupStatus,
  backup.downloadBackup,
  backup.readBackupKey,
  backup.setBackupKey,
  backup.clearBackupKey,
];

const EXPOSED = ["X-Nest-Backup-Files", "X-Nest-Backup-Bead-Dirs", "X-Nest-Backup-Encrypted"];

/** Serves the owner's backup (spec: Endpoints, owner only). */
export function serveBackup(
  app: FastifyInstance,
  parts: { readonly backup: Backup; readonly rules: VisitorRules },
): void {
  const { rules } = parts;
  keepNothing(app);
  app.get(backup.backupStatus.path, (request) => {
    requireOwner(request, rules);
    return parts.backup.status();
  });
  app.get(backup.readBackupKey.path, (request) => {
    requireOwner(request, rules);
    return parts.backup.keyState();
  });
  app.put(backup.setBackupKey.path, async (request) => {
    const actor = requireOwner(request, rules);
    const body = backup.SetBackupKey.safeParse(request.body === undefined ? {} : request.body);
    if (!body.success) throw badBody(body.error.issues[0]);
    const state = await parts.backup.setKey(actor, body.data.encryptionKey, body.data.keyName);
    return { ...state, status: "updated" };
  });
  app.delete(backup.clearBackupKey.path, async (request) => {
    const actor = requireOwner(request, rules);
    return { ...(await parts.backup.clearKey(actor)), status: "cleared" };
  });
  app.post(backup.downloadBackup.path, async (request, reply) => {
    const actor = requireOwner(request, rules);
    const download = await parts.backup.begin(actor);
    reply.raw.once("close", () => download.content.destroy());
    return reply
      .header("content-disposition", `attachment; filename="${download.name}"`)
      .header("cache-control", "no-store, no-cache, must-revalidate, private")
      .header("pragma", "no-cache")
      .header("x-nest-backup-files", String(download.files))
      .header("x-nest-backup-bead-dirs", String(download.beadFolders))
      .header("x-nest-backup-encrypted", "aes-256-gcm")
      .header("access-control-expose-headers", EXPOSED.join(", "))
      .type("application/octet-stream")
      .send(download.content);
  });
}

/** No answer under these paths is kept by anybody on the way, refusals included. */
function keepNothing(app: FastifyInstance): void {
  const paths = new Set(backupRoutes.map(({ path }) => path));
  app.addHook("onSend", async (request, reply) => {
    const [path = ""] = request.url.split("?");
    if (paths.has(path) && !reply.hasHeader("cache-control")) reply.header("cache-control", "no-store");
  });
}

/** The first fault of a body as a sentence that begins with the field. */
function badBody(issue: { code: string; message: string; path: readonly PropertyKey[] } | undefined): NestError {
  const keys =
    issue?.code === "unrecognized_keys" ? (issue as unknown as { keys: string[] }).keys.join(", ") : undefined;
  if (keys !== undefined) return new NestError("bad_request", `${keys}: unknown key in the body`);
  const message = issue?.message ?? "not valid";
  const field = issue?.path.map(String).join(".") ?? "";
  return new NestError(
    "bad_request",
    message.startsWith(`${field}:`) ? message : `${field || "body"}: ${message.toLowerCase()}`,
  );
}
