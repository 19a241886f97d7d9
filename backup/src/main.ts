import { createLog, NestError, ProgressLine, systemClock, systemRandom } from "@nest/kit";
import { runCommand } from "./command.ts";
import type { BackupDeps } from "./deps/deps.ts";
import { ownVersion } from "./own-version.ts";
import { readSettings } from "./settings/settings.ts";

/**
 * The `nest-backup` process. The first signal stops the work and removes unfinished output; the second ends the process at
 * once.
 */
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    if (stop.signal.aborted) process.exit(1);
    stop.abort(new NestError("stopped", `stopped by ${signal}`));
  });
}

const progress = new ProgressLine(process.stderr);
const environment = process.env;
const deps: BackupDeps = {
  environment,
  version: ownVersion(),
  clock: systemClock(),
  random: systemRandom(),
  log: createLog({ program: "nest-backup" }),
  signal: stop.signal,
  print: (text) => {
    progress.end();
    process.stdout.write(`${text}\n`);
  },
  tell: (text) => progress.show(text),
  // The clients for storage and clusters are large; a command loads only what it needs.
  openBlobs: async () => (await import("./storage/open-blobs.ts")).openBlobs(environment),
  hubCluster: async () => (await import("./collect/clusters.ts")).hubCluster(readSettings(environment)),
  spokeCluster: async ({ cluster }) =>
    (await import("./collect/clusters.ts")).entryCluster(cluster, readSettings(environment)),
};

const code = await runCommand(process.argv.slice(2), deps, {
  out: (text) => process.stdout.write(text),
  err: (text) => {
    progress.end();
    process.stderr.write(text);
  },
});
progress.end();
process.exitCode = code;
// Exit explicitly: connections of an abandoned client would keep the process alive.
process.stdout.write("", () => process.exit(code));
