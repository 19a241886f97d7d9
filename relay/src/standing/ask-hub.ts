import { httpBase, myContributions } from "@nest/protocol";
import type { HubEntry } from "../settings/config.ts";
import { type HubAnswer, hubAnswer } from "./hub-answer.ts";

const PATIENCE_MS = 15_000;

/** What a hub says about the owner of a registration token, or why it says nothing. */
export type Standing =
  | { readonly hub: HubEntry; readonly found: myContributions.MyContributions }
  | { readonly hub: HubEntry; readonly trouble: string; readonly remedy?: string };

/** Asks a hub how the contributor stands there. The token goes to this hub alone. Never throws. */
export async function askHub(hub: HubEntry, ask: typeof fetch, tasks: number): Promise<Standing> {
  const address = `${httpBase(hub.address)}${myContributions.mine.path}?limit=${tasks}`;
  const headers = { authorization: `Bearer ${hub.token}`, accept: "application/json" };
  let said: HubAnswer;
  try {
    said = await hubAnswer(ask, address, { headers }, PATIENCE_MS);
  } catch {
    return { hub, trouble: "does not answer", remedy: "check the address in NEST_HUB, and the network" };
  }
  if (said.status === 401)
    return {
      hub,
      trouble: "does not know this registration token",
      remedy: `contribute-setup <backend> -hub ${hub.address.replace(/\/api\/contribute\/ws$/, "/contribute")} -reissue`,
    };
  if (said.status === 404)
    return { hub, trouble: "does not tell contributors how they stand: it is older than this relay" };
  const answer = myContributions.MyContributions.safeParse(said.body);
  if (!said.ok || !answer.success) return { hub, trouble: `answered ${said.status}, and not how you stand` };
  return { hub, found: answer.data };
}
