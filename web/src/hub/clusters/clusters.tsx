import "./clusters.css";
import { Button } from "@mantine/core";
import { nests } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { plural } from "../../shared/format/format.ts";
import { openConfirmByTyping } from "../../shared/forms/confirm-by-typing.tsx";
import { Empty, LoadFailed, Loading } from "../../shared/states/states.tsx";
import { showToast } from "../../shared/toast/toast.tsx";
import { ByHand } from "./by-hand.tsx";
import { openCluster } from "./cluster-dialog.tsx";
import { MissingList } from "./missing-parts.tsx";
import { UpgradePause } from "./upgrade-pause.tsx";

const reachWords: Readonly<Record<nests.Cluster["reachable"], { readonly words: string; readonly state: string }>> = {
  yes: { words: "reachable", state: "ready" },
  no: { words: "not reachable", state: "failing" },
  pull_only: { words: "by hand", state: "away" },
  incomplete: { words: "not ready", state: "failing" },
  unknown: { words: "not asked yet", state: "idle" },
};

/** The clusters on which nests live: whether the hub reaches them, how full they are; added, changed and removed here. */
export function Clusters() {
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ["clusters"],
    queryFn: async ({ signal }) => (await call(nests.clusters, { signal })).value.clusters,
    staleTime: 0,
  });
  return (
    <>
      <div className="page-head">
        <h1>Clusters</h1>
        <div className="controls">
          <Button variant="default" loading={isFetching && data !== undefined} onClick={() => void refetch()}>
            Look again
          </Button>
          <Button onClick={() => openCluster()}>Add a cluster</Button>
        </div>
      </div>
      <section className="panel" aria-label="Clusters">
        {error !== null && data === undefined ? (
          <LoadFailed problem={error} again={() => void refetch()} />
        ) : data === undefined ? (
          <Loading rows={5} />
        ) : data.length === 0 ? (
          <Empty>
            No cluster yet: no nest can live anywhere. Add the one that the hub runs in, or one by its kubeconfig.
          </Empty>
        ) : (
          <ul className="plain-list">
            {data.map((cluster) => (
              <ClusterLine key={cluster.id} cluster={cluster} />
            ))}
          </ul>
        )}
      </section>
      <UpgradePause />
      <details className="by-hand-part" open={data?.some(({ reachable }) => reachable === "pull_only") === true}>
        <summary>Clusters that the hub does not touch</summary>
        <ByHand />
      </details>
    </>
  );
}

function ClusterLine({ cluster }: { readonly cluster: nests.Cluster }) {
  const {
    id,
    name,
    domain,
    reachable,
    because,
    version,
    nests: there,
    max_nests: most,
    available,
    placeholders,
    missing,
  } = cluster;
  const { words, state } = reachWords[reachable];
  const isFull = most !== undefined && there >= most;
  return (
    <li className="cluster-line">
      <div className="cluster-who">
        <p className="cut">
          <b>
            <bdi>{name ?? id}</bdi>
          </b>{" "}
          {name === undefined ? undefined : <span className="soft small">{id}</span>}
        </p>
        <p className="facts">
          <span className="state" data-state={state}>
            {words}
          </span>
          {because === undefined ? undefined : <bdi>{because}</bdi>}
          {version === undefined ? undefined : <span>Kubernetes {version}</span>}
          <span>{domain ?? "no domain"}</span>
        </p>
        <MissingList missing={missing} />
      </div>
      <p className="facts">
        <Link to="/my-nests" search={{ cluster: id } as never} data-tone={isFull ? "warn" : undefined}>
          {most === undefined ? plural(there, "nest") : `${there} of ${plural(most, "nest")}`}
        </Link>
        <span>
          {placeholders === undefined
            ? available === 0
              ? "no placeholders"
              : plural(available, "placeholder")
            : `${plural(available, "placeholder")} ready, ${placeholders.target} wanted`}
        </span>
      </p>
      <div className="card-acts">
        <Button size="compact-sm" variant="default" aria-label={`Change ${id}`} onClick={() => openCluster(cluster)}>
          Change
        </Button>
        <Button size="compact-sm" variant="default" aria-label={`Remove ${id}`} onClick={() => askToRemove(cluster)}>
          Remove
        </Button>
      </div>
    </li>
  );
}

function askToRemove({ id, nests: there }: nests.Cluster): void {
  openConfirmByTyping({
    title: `Remove ${id}?`,
    word: id,
    yes: "Remove",
    consequences: (
      <ul className="consequences">
        <li>The hub forgets the cluster. On the cluster itself nothing is changed.</li>
        <li>
          {there === 0
            ? "No nest is on it."
            : `${plural(there, "nest is", "nests are")} on it: the hub refuses until they are moved or deleted.`}
        </li>
      </ul>
    ),
    act: async () => {
      await call(nests.removeCluster, { params: { id } });
      showToast(`${id} is removed.`);
      await queries.invalidateQueries({ queryKey: ["clusters"] });
    },
  });
}
