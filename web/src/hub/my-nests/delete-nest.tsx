import { nests } from "@nest/protocol";
import { call } from "../../shared/call/call.ts";
import { plural } from "../../shared/format/format.ts";
import { openConfirmByTyping } from "../../shared/forms/confirm-by-typing.tsx";
import { actOnNest } from "./act-on-nest.ts";

/** Asks whether to delete a nest, and says in numbers what goes with it. Its id has to be typed. */
export async function askToDelete(nest: nests.NestDetail): Promise<void> {
  const { id, namespace, repos, requests, agents } = nest;
  // Deleting must also be possible when people cannot be counted.
  const people = await call(nests.access, { params: { id } }).then(
    ({ value }) => plural(value.access.length, "person loses a role", "people lose their roles"),
    () => "Everybody loses their role",
  );
  openConfirmByTyping({
    title: "Delete this nest for good?",
    word: id,
    yes: "Delete for good",
    consequences: (
      <ul className="consequences">
        <li>
          The namespace <bdi>{namespace}</bdi> goes, with every object in it
          {agents === undefined || agents === 0 ? "" : ` and ${plural(agents, "agent")}`}.
        </li>
        <li>Its volume goes: ledgers, recordings of runs, settings, credentials. Only a backup brings them back.</li>
        <li>
          {people} on it
          {requests === 0 ? "" : `; ${plural(requests, "request")} for access ${requests === 1 ? "ends" : "end"}`}.
        </li>
        <li>
          At the code host nothing is deleted: {plural(repos.length, "repository", "repositories")} and what its agents
          did there stay.
        </li>
      </ul>
    ),
    act: () =>
      actOnNest(id, () => call(nests.remove, { params: { id }, query: { confirm: id } }), "The nest is being deleted."),
  });
}
