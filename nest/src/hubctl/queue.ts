import { NestError, UsageError } from "@nest/kit";
import { contribute, issues, queue } from "@nest/protocol";
import { endOf } from "./end-of.ts";
import { rowsOf } from "./pages.ts";
import { facts, noWords, oneWord, show, someWords, table } from "./shown.ts";
import type { Verb, VerbCall } from "./verb.ts";

const list: Verb = async (call) => {
  noWords(call);
  const { reason, search: q, repo, label, author, since, until } = call.flags;
  const filter = { reason, q, repo, label, author, since, until };
  const rows = await rowsOf(
    call,
    async (paging) => (await call.hub.call(contribute.queue, { query: { ...paging, ...filter } })).value,
    (page) => page.queue,
  );
  show(call, rows, () => table(["ISSUE", "TITLE", "LABELS", "STANDS"], rows.map(cellsOf)));
  return 0;
};

const showOne: Verb = async (call) => {
  const found = await issueOf(call, oneWord(call, "issue"));
  show(call, found, () =>
    facts([
      ["issue", found.key],
      ["title", found.title],
      ["address", found.url],
      ["author", found.author],
      ["labels", found.labels.join(", ")],
      ["changed", found.updated_at],
      ["stands", standsOf(found)],
      ...(found.held_reason === undefined ? [] : [["held because", found.held_reason] as const]),
    ]),
  );
  return 0;
};

const hold: Verb = async (call) => {
  const keys = someWords(call, "issue");
  const { reason = call.flags.note ?? "" } = call.flags;
  const { until } = call.flags;
  const end = until === undefined ? {} : { until: endOf(until, call.now()) };
  for (const key of keys) await call.hub.call(queue.hold, { body: { key, held: true, reason, ...end } });
  show(call, { held: keys }, () => `${counted(keys.length)} held back\n`);
  return 0;
};

/** Named issues at once; all that wait for a reason only with `-yes`, because that can be thousands. */
const lift: Verb = async (call) => {
  const { reason, yes } = call.flags;
  if (reason === undefined) return lifted(call, { keys: [...someWords(call, "issue, or -reason")] });
  noWords(call);
  const [known] = queue.liftable.filter((one) => one === reason);
  if (known === undefined)
    throw new UsageError(`-reason: nobody can end a wait for "${reason}"`, {
      hint: `one of ${queue.liftable.join(", ")}`,
    });
  if (yes === true) return lifted(call, { reasons: [known] });
  const { matching } = (await call.hub.call(contribute.queue, { query: { limit: 1, reason } })).value;
  show(call, { would_lift: matching }, () => `would offer ${counted(matching)} again; with -yes it does\n`);
  return 3;
};

async function lifted(call: VerbCall, body: { keys?: string[]; reasons?: queue.Liftable[] }): Promise<0> {
  const { value } = await call.hub.call(queue.lift, { body });
  show(call, value, () => `${counted(value.lifted.length)} offered again\n`);
  return 0;
}

const pin: Verb = async (call) => {
  const keys = [...new Set(someWords(call, "issue").map((key) => key.toLowerCase()))];
  const { value } = await call.hub.call(queue.pinFirst, { body: { keys } });
  show(call, { ok: true, order: value.order }, () => `${counted(keys.length)} pinned to the front\n`);
  return 0;
};

const unpin: Verb = async (call) => {
  const keys = [...new Set(someWords(call, "issue").map((key) => key.toLowerCase()))];
  const { value } = await call.hub.call(queue.unpin, { body: { keys } });
  show(call, { ok: true, order: value.order }, () => `${counted(keys.length)} unpinned\n`);
  return 0;
};

async function issueOf(call: VerbCall, key: string): Promise<contribute.QueueItem> {
  const [, owner, name, number] = /^([^/#]+)\/([^/#]+)#([0-9]+)$/.exec(key) ?? [];
  const hint =
    "an issue is named owner/name#number; closed ones, and those of other repositories, are not in the queue";
  const missing = new NestError("not_found", `there is no issue ${key} in the queue`, { hint });
  if (owner === undefined || name === undefined || number === undefined) throw missing;
  const params = { owner, name, number };
  const { issue } = await call.hub.call(issues.issue, { params }).then(
    ({ value }) => value,
    (thrown) => {
      throw thrown instanceof NestError && thrown.code === "not_found" ? missing : thrown;
    },
  );
  if (issue === undefined) throw missing;
  return issue;
}

function cellsOf(one: contribute.QueueItem): readonly string[] {
  return [one.key, one.title, one.labels.join(","), standsOf(one)];
}

function standsOf({ withheld, ordered }: contribute.QueueItem): string {
  if (withheld === undefined) return ordered === true ? "on offer, pinned" : "on offer";
  return withheld.because;
}

function counted(count: number): string {
  return `${count} ${count === 1 ? "issue" : "issues"}`;
}

/** `prioritise` is what pinning was called before. */
export const queueVerbs: Readonly<Record<string, Verb>> = {
  list,
  show: showOne,
  hold,
  lift,
  pin,
  unpin,
  prioritise: pin,
};
