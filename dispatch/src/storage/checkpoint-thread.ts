import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import type { Checkpointed, CheckpointOrder } from "./checkpoints.ts";
import { BUSY_TIMEOUT_PRAGMA } from "./pragmas.ts";

// The thread that copies SQLite's log into the database while the hub continues to write.

const { file } = workerData as { readonly file: string };
const sqlite = new DatabaseSync(file);
sqlite.exec(BUSY_TIMEOUT_PRAGMA);
const checkpoint = sqlite.prepare("pragma wal_checkpoint(passive)");

parentPort?.on("message", (order: CheckpointOrder) => {
  if (order === "copy") {
    parentPort?.postMessage({ pages: copied() } satisfies Checkpointed);
    return;
  }
  sqlite.close();
  parentPort?.close();
});

/** A full disk needs no report from here: commits report it, and the log stays intact until the next try. */
function copied(): number {
  try {
    return Number(checkpoint.get()?.log ?? 0);
  } catch {
    return 0;
  }
}
