import { contribute } from "@nest/protocol";
import { rowsOf } from "./pages.ts";
import { noWords, show, table } from "./shown.ts";
import type { Verb } from "./verb.ts";

const list: Verb = async (call) => {
  noWords(call);
  const rows = await rowsOf(
    call,
    async (paging) => (await call.hub.call(contribute.fleet, { query: paging })).value,
    (page) => page.clankers,
  );
  const wanted = call.flags.search?.toLowerCase();
  const shown = rows.filter(
    (one) =>
      wanted === undefined ||
      [one.github_username, one.session, one.cli_backend, one.model].some((text) =>
        text?.toLowerCase().includes(wanted),
      ),
  );
  show(call, shown, () =>
    table(
      ["CONTRIBUTOR", "SESSION", "TIER", "BACKEND", "MODEL", "PROTOCOL", "DOES"],
      shown.map((one) => [
        one.github_username,
        one.session,
        one.trust_tier,
        one.cli_backend,
        one.model,
        one.protocol.verdict,
        one.current_task ?? one.idle_reason ?? "waits for work",
      ]),
    ),
  );
  return 0;
};

export const relayVerbs: Readonly<Record<string, Verb>> = { list };
