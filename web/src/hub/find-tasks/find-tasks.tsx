import { tasks } from "@nest/protocol";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "../../shared/call/call.ts";
import { beginningOf, endOf } from "../../shared/filters/days.ts";
import { ExportButtons } from "../../shared/filters/export-buttons.tsx";
import { isFiltered } from "../../shared/filters/filter-bar.tsx";
import { ViewsMenu } from "../../shared/filters/views-menu.tsx";
import { count } from "../../shared/format/format.ts";
import { ListPage } from "../../shared/lists/list-page.tsx";
import { usePages } from "../../shared/lists/use-pages.ts";
import { Crumbs } from "../../shared/router/crumbs.tsx";
import { useSearchState } from "../../shared/router/search.ts";
import { TaskRow } from "../tasks/task-row.tsx";
import { FindTasksSearch } from "./find-tasks-search.ts";
import { TaskFacets } from "./task-facets.tsx";

const ROWS = 100;
const ROW_PX = 84;
/** No stream reports tasks that end: what was read is read again. */
const AGAIN_MS = 15_000;
const FACETS_AGAIN_MS = 60_000;

/** Every task that was ever given, newest first: found by facets that the address keeps. */
export function FindTasks() {
  const [search, show] = useSearchState(FindTasksSearch);
  const { since, until, ...texts } = search;
  const filter = { ...texts, since: beginningOf(since), until: endOf(until) };
  const list = usePages(
    ["tasks", filter],
    (cursor, signal) => call(tasks.list, { query: { limit: ROWS, cursor: cursor || undefined, ...filter }, signal }),
    () => AGAIN_MS,
  );
  const facets = useFacets(filter);
  return (
    <>
      <Crumbs pages={[["/operations", "Operations"]]} />
      <ListPage
        id="tasks"
        title="Find tasks"
        tools={
          <div className="controls">
            <ViewsMenu />
            <ExportButtons path={tasks.exportList.path} filter={filter} what="these tasks" />
          </div>
        }
        search={{
          label: "Search tasks",
          placeholder: "Name or title of the issue, or a whole login",
          value: search.q ?? "",
          change: (q) => show({ q: q || undefined }),
        }}
        above={<TaskFacets search={search} show={show} facets={facets} />}
        list={list}
        rowsOf={(page) => page.tasks}
        empty={isFiltered(search) ? "No task is like that." : "No task was given yet."}
        label="Tasks, newest first"
        rowHeight={ROW_PX}
        keyOf={({ task_id }) => task_id}
        show={(task) => <TaskRow task={task} by={{ id: task.contributor_id, login: task.github_username }} />}
        below={
          facets?.counted === tasks.MOST_COUNTED ? (
            <p className="soft small count-line">
              The filters count the newest {count(tasks.MOST_COUNTED)} tasks that were found.
            </p>
          ) : undefined
        }
      />
    </>
  );
}

function useFacets(filter: tasks.TaskFilter): tasks.TaskFacets | undefined {
  const { data } = useQuery({
    queryKey: ["tasks", "facets", filter],
    queryFn: async ({ signal }) =>
      (await call(tasks.list, { query: { limit: 1, facets: "yes", ...filter }, signal })).value.facets ?? null,
    staleTime: FACETS_AGAIN_MS,
    placeholderData: keepPreviousData,
  });
  return data ?? undefined;
}
