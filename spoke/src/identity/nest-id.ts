import { join } from "node:path";
import { makePrivateFolder, type Random, readTextIfPresent, UsageError, writeFileAtomic } from "@nest/kit";
import { Heartbeat } from "@nest/protocol";

/**
 * This nest's identity: read from `<data>/nest-id`, made at the first boot and kept from then on.
 *
 * @throws UsageError when the file holds something that no hub would accept.
 */
export async function nestId(dataFolder: string, random: Random): Promise<string> {
  const file = join(dataFolder, "nest-id");
  const kept = (await readTextIfPresent(file))?.trim();
  if (kept !== undefined && kept !== "") {
    if (Heartbeat.shape.nest_id.safeParse(kept).success) return kept;
    throw new UsageError(`${file}: not a nest id`, {
      hint: "restore the file from a backup, or remove it for a new id",
    });
  }
  const made = `nest-${random.hex(8)}`;
  await makePrivateFolder(dataFolder);
  await writeFileAtomic(file, `${made}\n`, { mode: 0o600 });
  return made;
}
