import { createServer } from "node:net";
import { NestError, UsageError } from "@nest/kit";
import { whyNoBoot } from "./check-boot.ts";
import { readConfigText, treeOf, whyReadOnly } from "./config-files.ts";
import type { Tree } from "./leaves.ts";
import { valueAt } from "./leaves.ts";
import { mergeOverlay } from "./overlay.ts";
import type { SpokeSettings } from "./settings.ts";

/** @throws NestError `nest_configuration_changed` where somebody names a state of the overlay that it is no longer in. */
export function mustBeCurrent(named: string | undefined, revision: string): void {
  if (named === undefined || named === revision) return;
  throw new NestError("nest_configuration_changed", "somebody saved the configuration since it was read", {
    hint: "read it again, and make the change on what is in force now",
  });
}

/** @throws NestError `configuration_read_only` where the configuration file's folder can only be read (spec: Errors). */
export async function mustBeWritable({ configFile }: SpokeSettings): Promise<void> {
  const because = await whyReadOnly(configFile);
  if (because === undefined) return;
  throw new NestError("configuration_read_only", `the configuration cannot be saved: ${because}`, {
    hint: "mount the folder of nest.yaml so that the nest can write to it",
  });
}

/** @throws NestError `bad_request` with every fault that would keep a nest from starting with this. */
export async function mustBoot(before: unknown, after: unknown, settings: SpokeSettings): Promise<void> {
  const faults = whyNoBoot(after, settings);
  if (faults.length > 0) throw new NestError("bad_request", faults.join("; "));
  const [was, port] = [before, after].map((tree) => valueAt(tree, ["dashboard", "port"]));
  if (typeof port !== "number" || port === 0 || port === was || settings.dashboardPort !== undefined) return;
  if (!(await isFree(settings.host, port)))
    throw new NestError("bad_request", `dashboard.port: the nest cannot listen on ${settings.host}:${port}`);
}

/** @throws NestError `nest_cannot_restart` where the files, as they are now, would keep the nest from starting again. */
export async function mustStartAgain(settings: SpokeSettings, overlay: Tree): Promise<void> {
  // On a container host the runtime file is restored over whatever the configuration file says.
  if (settings.deployment === "container") return;
  const because = await whyNoStart(settings, overlay);
  if (because === undefined) return;
  throw new NestError("nest_cannot_restart", `the nest could not start again: ${because}`, {
    hint: `correct ${settings.configFile}, and restart then`,
  });
}

/**
 * Waits for a write.
 *
 * @throws NestError `storage_unavailable` where the disk does not take it.
 */
export async function written(writing: Promise<void>, folder: string): Promise<void> {
  try {
    await writing;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === undefined || thrown instanceof NestError) throw thrown;
    throw new NestError("storage_unavailable", `the configuration cannot be saved in ${folder} (${code})`, {
      hint: "look at the data folder's disk, and try again in 60 s",
      cause: thrown,
    });
  }
}

/** Why the nest could not start again with the configuration file as it is now; undefined where it could. */
export async function whyNoStart(settings: SpokeSettings, overlay: Tree): Promise<string | undefined> {
  const { configFile } = settings;
  try {
    const text = await readConfigText(configFile);
    if (text === undefined) return `${configFile}: there is no such file`;
    const faults = whyNoBoot(mergeOverlay(treeOf(text, configFile), overlay), settings);
    return faults.length === 0 ? undefined : faults.join("; ");
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    return thrown.message;
  }
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}
