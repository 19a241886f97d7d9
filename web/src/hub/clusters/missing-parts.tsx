import "./missing-parts.css";
import { nests } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../shared/call/call.ts";

/** What clusters lack before any nest can live on them, with the command that brings each part; nothing where none lacks anything. */
export function MissingParts({ clusters }: { readonly clusters: readonly nests.Cluster[] }) {
  const incomplete = clusters.filter(({ reachable }) => reachable === "incomplete");
  if (incomplete.length === 0) return undefined;
  return (
    <div className="notice missing-parts" role="alert">
      {incomplete.map(({ id, name = id, missing = [] }) => (
        <div key={id}>
          <p>
            No nest can be made on <bdi>{name}</bdi> yet.{" "}
            {missing.length === 0
              ? "The hub's admin sees what is missing."
              : missing.some(({ command }) => command !== undefined)
                ? "Bring what is missing, on the hub's machine, and start the hub again:"
                : ""}
          </p>
          <MissingList missing={missing} />
        </div>
      ))}
    </div>
  );
}

/** The parts, each with its command. */
export function MissingList({ missing = [] }: Pick<nests.Cluster, "missing">) {
  if (missing.length === 0) return undefined;
  return (
    <ul className="missing-list">
      {missing.map(({ what, command }) => (
        <li key={what}>
          {what}
          {command === undefined ? undefined : <code>{command}</code>}
        </li>
      ))}
    </ul>
  );
}

const AGAIN_MS = 10_000;

/** The same for pages that do not read the clusters themselves; it looks again while something is missing. */
export function MissingPartsHere() {
  const { data = [] } = useQuery({
    queryKey: ["clusters"],
    queryFn: async ({ signal }) => (await call(nests.clusters, { signal })).value.clusters,
    refetchInterval: ({ state }) =>
      state.data?.some(({ reachable }) => reachable === "incomplete") === true ? AGAIN_MS : false,
  });
  return <MissingParts clusters={data} />;
}
