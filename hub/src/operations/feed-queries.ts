import type { Activity } from "@nest/dispatch";

/** Counts the stored lines of the feed. */
export const RETAINED = `
  select coalesce((select max(id) from activity) - (select min(id) from activity) + 1, 0) as n`;

/** Lines of the feed before an id (?1), newest first, each with its task. */
export const ACTIVITY = `
  select activity.*, tasks.id as task_id, tasks.repo, tasks.number, tasks.title, tasks.url as task_url
  from activity left join tasks on tasks.gen = activity.task_gen
  where activity.id < ?1 order by activity.id desc limit ?2`;

/** A task by its generation (?1) and id (?2). */
export const TASK = "select * from tasks where gen = ?1 and id = ?2";

/** What happened to the task of a generation (?1), oldest first; at most ?2 lines. */
export const ACTIVITY_OF_TASK = `
  select activity.*, tasks.id as task_id, tasks.repo, tasks.number, tasks.title, tasks.url as task_url
  from activity join tasks on tasks.gen = activity.task_gen
  where activity.task_gen = ?1 order by activity.id limit ?2`;

/** The tasks that the issue of a key (?1) had, but for the one of a generation (?2), newest first; at most ?3. */
export const ATTEMPTS = "select * from tasks where item_key = ?1 and gen <> ?2 order by gen desc limit ?3";

/** A line of the feed, made from a row of {@link ACTIVITY}. */
export function activityOf(row: Record<string, unknown>): Activity {
  const text = (value: unknown) => (value === null ? undefined : String(value));
  const { task_id: taskId, task_gen: gen, repo, number, title, task_url: url } = row;
  const task = {
    taskId: String(taskId),
    gen: Number(gen),
    repo: String(repo),
    number: Number(number),
    title: String(title),
    url: String(url),
  };
  return {
    id: Number(row.id),
    at: Number(row.at),
    login: String(row.login),
    action: String(row.action),
    task: taskId === null ? undefined : task,
    url: text(row.url),
    detail: text(row.detail),
  };
}
