import type { RouteRegistry } from "@nest/http";
import { backup, type Route } from "@nest/protocol";
import type { FastifyInstance } from "fastify";
import type { Visitor } from "../access/visitor.ts";
import type { Backup } from "./backup.ts";

/** What the owner's backup answers to. */
const backupRoutes: readonly Route[] = [
  backup.backupStatus,
  backup.downloadBackup,
  backup.readBackupKey,
  backup.setBackupKey,
  backup.clearBackupKey,
];

const EXPOSED = ["X-Nest-Backup-Files", "X-Nest-Backup-Bead-Dirs", "X-Nest-Backup-Encrypted"];

/** Serves the owner's backup (spec: Endpoints, owner only). */
export function serveBackup(http: FastifyInstance, routes: RouteRegistry<Visitor>, own: Backup): void {
  keepNothing(http);
  routes.serve(backup.backupStatus, () => own.status());
  routes.serve(backup.readBackupKey, () => own.keyState());
  routes.serve(backup.setBackupKey, async ({ actor, body }) => {
    const state = await own.setKey(actor, body.encryptionKey, body.keyName);
    return { ...state, status: "updated" as const };
  });
  routes.serve(backup.clearBackupKey, async ({ actor }) => ({
    ...(await own.clearKey(actor)),
    status: "cleared" as const,
  }));
  routes.serve(backup.downloadBackup, async ({ actor, reply }) => {
    const download = await own.begin(actor);
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
