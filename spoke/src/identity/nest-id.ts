import { join } from "node:path";
import { makePrivateFolder, type Random, readTextIfPresent, UsageError, writeFileAtomic } from "@nest/kit";
import { Heartbeat } from "@nest/protocol";

/**
 * This nest's identity: the one that its hub gave it (`given`, the variable `NEST_ID` of a hosted nest), else what
 * `<data>/nest-id` has, else one that is made at the first boot. It is kept in the file; what the hub gave wins over a file that
 * came with another nest's data, because the hub knows no other.
 *
 * @throws UsageError when the variable or the file holds something that no hub would accept.
 */
export async function nestId(dataFolder: string, random: Random, given?: string): Promise<string> {
  const file = join(dataFolder, "nest-id");
  const kept = (await readTextIfPresent(file))?.trim();
  if (given !== undefined && !isNestId(given)) throw new UsageError("NEST_ID: not a nest id");
  if (given === undefined && kept !== undefined && kept !== "") {
    if (isNestId(kept)) return kept;
    throw new UsageError(`${file}: not a nest id`, {
      hint: "restore the file from a backup, or remove it for a new id",
    });
  }
  const id = given ?? `nest-${random.hex(8)}`;
  if (id === kept) return id;
  await makePrivateFolder(dataFolder);
  await writeFileAtomic(file, `${id}\n`, { mode: 0o600 });
  return id;
}

function isNestId(text: string): boolean {
  return Heartbeat.shape.nest_id.safeParse(text).success;
}
