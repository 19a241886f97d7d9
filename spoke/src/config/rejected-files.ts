import { access } from "node:fs/promises";
import { join } from "node:path";
import { sentenceOf } from "@nest/kit";
import type { nestConfig } from "@nest/protocol";
import { RUNTIME, readConfigText } from "./config-files.ts";
import { overlayIfReadable } from "./overlay-guard.ts";
import { readRecord } from "./overlay-record.ts";
import { markOf } from "./runtime-file.ts";
import { whyNoStart } from "./save-rules.ts";
import type { SpokeSettings } from "./settings.ts";

/** The files that were not used at a start, while they are kept, and the configuration file where somebody edited it since. */
export async function rejectedFiles(settings: SpokeSettings, seed: string): Promise<nestConfig.RejectedFile[]> {
  const { dataFolder, configFile } = settings;
  const { rejected } = await readRecord(dataFolder);
  const files: nestConfig.RejectedFile[] = [];
  for (const [name, reason] of Object.entries(rejected)) {
    const file = join(dataFolder, name);
    if (await isThere(file)) files.push({ file, reason });
  }
  const reason = await whyEdited(settings, seed);
  return reason === undefined ? files : [...files, { file: configFile, reason }];
}

async function whyEdited(settings: SpokeSettings, seed: string): Promise<string | undefined> {
  const { configFile, dataFolder, deployment } = settings;
  try {
    const text = await readConfigText(configFile);
    if (text === undefined) return "it is no longer there";
    if (text === seed || markOf(text) !== undefined) return undefined;
  } catch (thrown) {
    return sentenceOf(thrown);
  }
  if (deployment === "container")
    return `it was edited since the start; ${join(dataFolder, RUNTIME)} is restored over it at each start`;
  const because = await whyNoStart(settings, (await overlayIfReadable(dataFolder)) ?? {});
  if (because !== undefined) return `it was edited since the start, and no nest could start with it: ${because}`;
  return "it was edited since the start; it is read at the next one, and the overlay wins for the keys that it has";
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
