import { plural } from "../../shared/format/format.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { Empty, Loading } from "../../shared/states/states.tsx";
import { useLive } from "../live/live.ts";

/** The monitored repositories, and whether each could be read. */
export function RepositoriesPanel() {
  const repositories = useLive((live) => live.status?.repositories);
  return (
    <Panel
      id="repositories"
      title="Repositories"
      tally={repositories === undefined ? undefined : String(repositories.length)}
    >
      {repositories === undefined ? (
        <Loading />
      ) : repositories.length === 0 ? (
        <Empty>No repository is served that everybody may see.</Empty>
      ) : (
        <ul className="plain-list">
          {repositories.map(({ repo, state, issues, error }) => (
            <li key={repo}>
              <span className="line">
                <b>{repo}</b>
                <span className="state" data-state={state}>
                  {state === "ready"
                    ? plural(issues, "open issue")
                    : state === "scanning"
                      ? "being read"
                      : "cannot be read"}
                </span>
              </span>
              {error === undefined ? undefined : <p className="facts">{error}</p>}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
