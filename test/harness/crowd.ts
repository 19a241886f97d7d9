import { seededRandom, systemClock } from "@nest/kit";
import { expect } from "vitest";
import { type Event, HardRelay } from "./hard-relay.ts";
import type { HubProcess } from "./hub-process.ts";

export interface Crowd {
  readonly members: readonly { readonly contributor_id: string }[];
  readonly relays: readonly HardRelay[];
}

/** Relays that work without a pause, at whatever address `socket` says at the moment. */
export async function aCrowd(hub: HubProcess, size: number, socket: () => string): Promise<Crowd> {
  const members = await Promise.all(Array.from({ length: size }, (_, at) => hub.register(`relay-${at}`)));
  const clock = systemClock();
  const relays = members.map(
    ({ registration_token: token }, at) =>
      new HardRelay({ socket, token, clock, random: seededRandom(at), boot: () => 1 }),
  );
  return { members, relays };
}

/** Lets a crowd finish its tasks, and stops it even if that fails. */
export async function finished({ relays }: Crowd): Promise<void> {
  for (const relay of relays) relay.finish();
  await expect.poll(() => relays.filter((relay) => !relay.isIdle).length, { timeout: 30_000 }).toBe(0);
}

/** How many completions a hub counts for each of a crowd; what the other replica wrote last, it knows a moment later. */
export async function counted(hub: HubProcess, { members }: Crowd): Promise<(number | undefined)[]> {
  const rows = new Map((await hub.contributors()).map((row) => [row.contributor_id, row.total_tasks_completed]));
  return members.map(({ contributor_id: id }) => rows.get(id));
}

/** What a hub booked of the tasks that a relay completed and was acknowledged, as `task outcome`; and what it should have. */
export async function booked(hub: HubProcess, contributorId: string, history: readonly Event[]) {
  const { history: tasks } = await hub.call<{ history: { task_id: string; outcome?: string; reason?: string }[] }>(
    "GET",
    `/api/contributors/${contributorId}?limit=100`,
  );
  const done = history.flatMap((event) =>
    event.kind === "ended" && event.how === "completed" ? [event.task.task_id] : [],
  );
  const acknowledged = done.filter((id) =>
    history.some((event) => event.kind === "acknowledged" && event.taskId === id),
  );
  const outcomes = new Map(tasks.map(({ task_id: id, outcome, reason }) => [id, `${outcome} ${reason ?? ""}`.trim()]));
  return {
    booked: acknowledged.map((id) => `${id} ${outcomes.get(id)}`),
    expected: acknowledged.map((id) => `${id} completed`),
  };
}
