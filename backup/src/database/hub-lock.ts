import { lstatSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isAbsent, NestError } from "@nest/kit";

/**
 * Holds the hub's lock on a data directory while `act` runs, so that no hub can run on the directory meanwhile.
 *
 * @throws NestError `hub_running` when a hub holds the lock.
 */
export async function withoutRunningHub(dataDir: string, act: () => Promise<void>): Promise<void> {
  const file = join(dataDir, ".hub.lock");
  if (!isThere(file)) return act();
  const lock = new DatabaseSync(file);
  try {
    lock.exec("pragma busy_timeout = 500; pragma locking_mode = exclusive; begin exclusive");
  } catch (cause) {
    lock.close();
    throw new NestError("hub_running", `a hub is running on ${dataDir}`, { hint: "stop it before restoring", cause });
  }
  try {
    await act();
  } finally {
    lock.close();
  }
}

function isThere(file: string): boolean {
  try {
    lstatSync(file);
    return true;
  } catch (thrown) {
    if (isAbsent(thrown)) return false;
    throw thrown;
  }
}
