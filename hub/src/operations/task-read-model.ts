import type { Ledger, Reader } from "@nest/dispatch";
import { NestError } from "@nest/kit";
import type { contribute, tasks } from "@nest/protocol";
import { attemptOf } from "./attempt.ts";
import { ACTIVITY_OF_TASK, ATTEMPTS, activityOf, TASK } from "./feed-queries.ts";
import type { PullRequestStates } from "./pull-request-states.ts";
import type { ReadModel } from "./read-model.ts";
import type { TaskOutputs } from "./task-outputs.ts";
import type { Visibility } from "./visibility.ts";

export interface TaskReadModelDeps {
  readonly ledger: Ledger;
  readonly reader: Reader;
  readonly readModel: ReadModel;
  /** What a relay said last of its work, here or on another replica. */
  readonly noteOf: (connection: string) => string | undefined;
  readonly outputs: TaskOutputs;
  readonly pullRequests: PullRequestStates;
}

const MOST_EVENTS = 500;
const MOST_ATTEMPTS = 50;

type Row = Readonly<Record<string, unknown>>;

/** One task with its history, and every task that an issue ever had, read from the database by index. */
export class TaskReadModel {
  readonly #deps: TaskReadModelDeps;

  constructor(deps: TaskReadModelDeps) {
    this.#deps = deps;
  }

  /**
   * One task. For who may not see its repository it is not there.
   *
   * @throws NestError `not_found`.
   */
  async task(id: string, visibility: Visibility): Promise<tasks.TaskReply> {
    const { reader, readModel, ledger } = this.#deps;
    const gen = generationIn(id);
    const [row] = gen === undefined ? [] : await reader.all(TASK, gen, id);
    if (row === undefined || !visibility(String(row.repo)))
      throw new NestError("not_found", "there is no such task, or it is of a private repository", {
        hint: "tasks are kept for ever: look whether the address is whole",
      });
    const [events, attempts] = await Promise.all([
      reader.all(ACTIVITY_OF_TASK, Number(row.gen), MOST_EVENTS),
      reader.all(ATTEMPTS, String(row.item_key), Number(row.gen), MOST_ATTEMPTS),
    ]);
    const { connection } = ledger.lease(id) ?? {};
    const contributorId = String(row.contributor_id);
    const relay = readModel.relaysOf(contributorId).find(({ connection_id: one }) => one === connection);
    return {
      task: this.#details(row, connection),
      events: events.map((event) => readModel.entry(activityOf(event), visibility)),
      attempts: attempts.map((attempt) => attemptOf(attempt, ledger)),
      ...(relay === undefined ? {} : { relay: shownTo(relay, visibility) }),
    };
  }

  /** What the code host says now of the pull request that the task named; undefined where it named none of its repository. */
  async pullRequest(id: string): Promise<tasks.PullRequestState | undefined> {
    const gen = generationIn(id);
    const [row] = gen === undefined ? [] : await this.#deps.reader.all(TASK, gen, id);
    if (row === undefined || row.pr_url === null) return undefined;
    return this.#deps.pullRequests.of(String(row.pr_url), String(row.repo));
  }

  /** What the task's agent printed last; only for admins and for the contributor whose task it is. */
  async output(
    id: string,
    reader: { readonly isAdmin: boolean; readonly contributorId: string | undefined },
  ): Promise<tasks.OutputReply> {
    const gen = generationIn(id);
    const [row] = gen === undefined ? [] : await this.#deps.reader.all(TASK, gen, id);
    const isOwn = row !== undefined && reader.contributorId === String(row.contributor_id);
    if (row === undefined || !(reader.isAdmin || isOwn)) return { allowed: false };
    const found = await this.#deps.outputs.read({ gen: Number(row.gen), assignedAt: Number(row.assigned_at) });
    return { allowed: true, ...(found === undefined ? {} : { output: { at: iso(found.at), text: found.text } }) };
  }

  #details(row: Row, connection: string | undefined): tasks.TaskReply["task"] {
    const lease = this.#deps.ledger.lease(String(row.id));
    const note = connection === undefined ? undefined : this.#deps.noteOf(connection);
    const session = String(row.identity).slice(String(row.contributor_id).length + 1);
    const acceptedAt = lease?.acceptedAt ?? numberIn(row.accepted_at);
    return {
      ...attemptOf(row, this.#deps.ledger),
      repo: String(row.repo),
      number: Number(row.number),
      title: String(row.title),
      url: String(row.url),
      ...(session === "" ? {} : { session }),
      ...(acceptedAt === undefined ? {} : { accepted_at: iso(acceptedAt) }),
      ...(lease === undefined ? {} : { expires_at: iso(lease.expiresAt) }),
      ...(note === undefined ? {} : { note }),
    };
  }
}

/** The generation that a task's id holds (`task-GENERATION-…`, in base 36): tasks are found by it. */
function generationIn(id: string): number | undefined {
  const [, digits] = /^task-([0-9a-z]{1,10})-[0-9a-f]+$/.exec(id) ?? [];
  return digits === undefined ? undefined : Number.parseInt(digits, 36);
}

/** What a relay last failed at may be of a repository that a viewer must not see. */
function shownTo(relay: contribute.FleetRelay, visibility: Visibility): contribute.FleetRelay {
  const { last_failure: failure, credential_failure: credential, ...rest } = relay;
  return {
    ...rest,
    ...(failure === undefined || !visibility(failure.repo) ? {} : { last_failure: failure }),
    ...(credential === undefined || !visibility(credential.repo) ? {} : { credential_failure: credential }),
  };
}

function numberIn(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
