import { plainText, UsageError } from "@nest/kit";
import { contribute, contributors, describeOutcome, tasks, tiers } from "@nest/protocol";
import { rowsOf } from "./pages.ts";
import { facts, noWords, oneWord, show, table } from "./shown.ts";
import type { Verb } from "./verb.ts";

const list: Verb = async (call) => {
  noWords(call);
  const rows = await rowsOf(
    call,
    async (paging) => (await call.hub.call(contribute.fleet, { query: paging })).value,
    (page) => page.work,
  );
  show(call, rows, () =>
    table(
      ["TASK", "ISSUE", "CONTRIBUTOR", "SESSION", "STANDS", "LEASE UNTIL", "TITLE"],
      rows.map((one) => [
        one.task_id,
        `${one.repo}#${one.number}`,
        one.github_username,
        one.session,
        one.status,
        one.expires_at,
        one.title,
      ]),
    ),
  );
  return 0;
};

/** Tasks of the whole history, newest first. */
const find: Verb = async (call) => {
  noWords(call);
  const { search: q, repo, contributor, outcome, backend, tier: named, model, since, until } = call.flags;
  const tier = tierNamed(named);
  const filter = { q, repo, contributor, outcome, backend, tier, model, since, until };
  const rows = await rowsOf(
    call,
    async (paging) => (await call.hub.call(tasks.list, { query: { ...paging, ...filter } })).value,
    (page) => page.tasks,
  );
  show(call, rows, () =>
    table(
      ["TASK", "ISSUE", "CONTRIBUTOR", "BACKEND", "GIVEN", "ENDED", "BECAUSE", "PULL REQUEST"],
      rows.map((one) => [
        one.task_id,
        `${one.repo}#${one.number}`,
        one.github_username,
        one.backend,
        one.assigned_at,
        describeOutcome(one.outcome, one.verdict).words,
        one.reason,
        one.pr_url,
      ]),
    ),
  );
  return 0;
};

/** @throws UsageError where there is no such tier. */
function tierNamed(name: string | undefined) {
  if (name === undefined) return undefined;
  const known = [...tiers, tasks.UNKNOWN] as const;
  const tier = known.find((one) => one === name);
  if (tier === undefined)
    throw new UsageError(`-tier: there is no tier "${name}"`, { hint: `one of ${known.join(", ")}` });
  return tier;
}

const showOne: Verb = async (call) => {
  const id = oneWord(call, "task");
  const { value } = await call.hub.call(tasks.task, { params: { id } });
  const { output } = (await call.hub.call(tasks.output, { params: { id } })).value;
  show(call, { ...value, ...(output === undefined ? {} : { output }) }, () => {
    const { task, events } = value;
    const known = facts([
      ["task", task.task_id],
      ["issue", `${task.repo}#${task.number}`],
      ["title", task.title],
      ["contributor", `${task.github_username}${task.session === undefined ? "" : ` on ${task.session}`}`],
      ["agent", [task.backend, task.model].filter((one) => one !== undefined).join(", ") || undefined],
      ["tier then", task.tier],
      ["relay version", task.relay_version],
      ["stands", [task.status, task.outcome, task.verdict].filter((one) => one !== undefined).join(", ")],
      ["given", task.assigned_at],
      ["lease until", task.expires_at],
      ["reason", task.reason],
      ["pull request", task.pr_url],
    ]);
    const said = output === undefined ? "" : `\nits agent printed last:\n${plainText(output.text)}\n`;
    const happened = table(
      ["AT", "WHO", "WHAT", ""],
      events.map((one) => [one.timestamp, one.username, one.action, one.detail]),
      { isLastWhole: true },
    );
    return `${known}\n${happened}${said}`;
  });
  return 0;
};

const takeBack: Verb = async (call) => {
  const id = oneWord(call, "task");
  const { task } = (await call.hub.call(tasks.task, { params: { id } })).value;
  const { reason } = call.flags;
  const { value } = await call.hub.call(contributors.requeue, {
    params: { id: task.contributor_id },
    body: { task_id: id, ...(reason === undefined ? {} : { reason }) },
  });
  show(call, value, () => `${id} is taken back; ${task.repo}#${task.number} waits ten minutes\n`);
  return 0;
};

export const taskVerbs: Readonly<Record<string, Verb>> = { list, find, show: showOne, "take-back": takeBack };
