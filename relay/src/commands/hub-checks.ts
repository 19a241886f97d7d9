import { httpBase } from "@nest/protocol";
import { readConfig } from "../settings/config.ts";
import { hubsNotKept } from "../settings/kept-hubs.ts";
import { askHub } from "../standing/ask-hub.ts";
import type { Check } from "./checks.ts";
import type { CommandDeps } from "./command.ts";
import { readSaved } from "./saved-env.ts";

const PATIENCE_MS = 10_000;
/** More than this, and tokens and certificates are taken for expired, or not valid yet. */
const MOST_SKEW_MS = 2 * 60_000;

/** Whether each hub that this machine is registered at answers and knows the token, and whether this machine's clock is right. */
export async function checkHubs(deps: CommandDeps): Promise<readonly Check[]> {
  const saved = await readSaved(deps.environment);
  const isRegistered = Boolean(deps.environment.NEST_REGISTRATION_TOKEN || saved.NEST_REGISTRATION_TOKEN);
  if (!isRegistered)
    return [{ name: "registration", ok: true, detail: "none yet: contribute-setup makes it", required: false }];
  const missing = hubsNotKept(deps.environment, saved);
  if (missing.length > 0) {
    const detail = `none yet at ${missing.join(", ")}: contribute-setup makes it`;
    return [{ name: "registration", ok: true, detail, required: false }];
  }
  const { hubs } = readConfig({ ...deps.environment, AGENT_BACKEND: "claude" }, saved);
  const checks = await Promise.all(
    hubs.map(async (hub): Promise<readonly Check[]> => {
      const standing = await askHub(hub, deps.fetch, 1);
      const name = `hub ${hub.host}`;
      if ("trouble" in standing) {
        const { trouble: detail, remedy } = standing;
        return [{ name, ok: false, detail, required: true, ...(remedy === undefined ? {} : { remedy }) }];
      }
      const { contributor } = standing.found;
      const detail = `knows the token: ${contributor?.github_username}, ${contributor?.trust_tier}`;
      return [{ name, ok: true, detail, required: true }, ...(await clockAgainst(hub.address, deps))];
    }),
  );
  return checks.flat();
}

/** The hub's own time, as it stands in its answers. */
async function clockAgainst(address: string, { fetch, now }: CommandDeps): Promise<readonly Check[]> {
  const asked = now();
  const response = await fetch(`${httpBase(address)}/api/health`, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(
    () => undefined,
  );
  const told = Date.parse(response?.headers.get("date") ?? "");
  if (Number.isNaN(told)) return [];
  const skewMs = (asked + now()) / 2 - told;
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  if (Math.abs(skewMs) <= MOST_SKEW_MS)
    return [{ name: "clock", ok: true, detail: `${seconds} s from the hub's`, required: false }];
  const detail = `${seconds} s ${skewMs > 0 ? "ahead of" : "behind"} the hub's: tokens may be taken for expired`;
  return [{ name: "clock", ok: false, detail, remedy: "let the system set its clock by the network", required: false }];
}
