import "../../shared/filters/filters.css";
import { Button } from "@mantine/core";
import { tasks } from "@nest/protocol";
import { call } from "../../shared/call/call.ts";
import { beginningOf, endOf } from "../../shared/filters/days.ts";
import { ViewsMenu } from "../../shared/filters/views-menu.tsx";
import { ListPage } from "../../shared/lists/list-page.tsx";
import { usePages } from "../../shared/lists/use-pages.ts";
import { useSearchState } from "../../shared/router/search.ts";
import { stringifySearch } from "../../shared/router/search-text.ts";
import { FindTasksSearch } from "./find-tasks-search.ts";
import { TaskFacets } from "./task-facets.tsx";
import { TaskRow } from "./task-row.tsx";

const ROWS = 100;
const ROW_PX = 84;
/** No stream reports tasks that end: what was read is read again. */
const AGAIN_MS = 15_000;

/** Every task that was ever given, newest first: found by issue, contributor, ending, backend and day. */
export function FindTasks() {
  const [search, show] = useSearchState(FindTasksSearch);
  const { since, until, ...texts } = search;
  const filter = { ...texts, since: beginningOf(since), until: endOf(until) };
  const list = usePages(
    ["tasks", filter],
    (cursor, signal) => call(tasks.list, { query: { limit: ROWS, cursor: cursor || undefined, ...filter }, signal }),
    () => AGAIN_MS,
  );
  const isFiltered = Object.values(search).some((value) => value !== undefined && value !== "");
  return (
    <ListPage
      id="tasks"
      title="Find tasks"
      tools={
        <div className="controls">
          <ViewsMenu />
          {(["csv", "json"] as const).map((format) => (
            <Button
              key={format}
              component="a"
              href={tasks.exportList.path + stringifySearch({ format, ...filter })}
              download
              size="sm"
              variant="default"
            >
              {format.toUpperCase()}
              <span className="hidden"> file of these tasks</span>
            </Button>
          ))}
        </div>
      }
      search={{
        label: "Search tasks",
        placeholder: "Name or title of the issue, or a whole login",
        value: search.q ?? "",
        change: (q) => show({ q: q || undefined }),
      }}
      above={<TaskFacets search={search} show={show} isFiltered={isFiltered} />}
      list={list}
      rowsOf={(page) => page.tasks}
      empty={isFiltered ? "No task is like that." : "No task was given yet."}
      label="Tasks, newest first"
      rowHeight={ROW_PX}
      keyOf={({ task_id }) => task_id}
      show={(task) => <TaskRow task={task} />}
    />
  );
}
