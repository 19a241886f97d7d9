import { contributors, describeAudit } from "@nest/protocol";
import { rowsOf } from "./pages.ts";
import { noWords, show, table } from "./shown.ts";
import type { Verb } from "./verb.ts";

const list: Verb = async (call) => {
  noWords(call);
  const { search: q, actor, action, subject, since, until } = call.flags;
  const filter = { q, actor, action, subject, since, until };
  const rows = await rowsOf(
    call,
    async (paging) => (await call.hub.call(contributors.audit, { query: { ...paging, ...filter } })).value,
    (page) => page.audit,
  );
  show(call, rows, () =>
    table(
      ["AT", "WHO", "WHAT", "WHOM", "BEFORE", "AFTER"],
      rows.map(({ at, actor, action, subject, before, after }) => [
        at,
        actor,
        describeAudit(action).words,
        subject,
        JSON.stringify(before),
        JSON.stringify(after),
      ]),
    ),
  );
  return 0;
};

export const auditVerbs: Readonly<Record<string, Verb>> = { list };
