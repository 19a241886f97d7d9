import "./create-nest.css";
import { nests } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call } from "../../shared/call/call.ts";
import { plural } from "../../shared/format/format.ts";
import { useSearchState } from "../../shared/router/search.ts";
import { AdminsOnly } from "../../shared/session/admins-only.tsx";
import { LoadFailed, Loading } from "../../shared/states/states.tsx";
import { MissingParts } from "../clusters/missing-parts.tsx";
import { CreateSearch } from "./create-search.ts";
import { Wizard } from "./wizard.tsx";

/** Describes a new nest step by step; with `claim` in the address a placeholder, which an admin gives to its owner. */
export function CreateNest() {
  const [{ claim }] = useSearchState(CreateSearch);
  const title = claim === undefined ? "Create a nest" : "Give a nest to its owner";
  const page = (
    <>
      <p className="crumb">
        <Link to="/my-nests">My nests</Link>
      </p>
      <div className="page-head">
        <h1>{title}</h1>
      </div>
      <Ready claim={claim} />
    </>
  );
  return claim === undefined ? page : <AdminsOnly what={title}>{page}</AdminsOnly>;
}

/** Reads what the wizard needs to know before it begins. */
function Ready({ claim }: { readonly claim: string | undefined }) {
  const clusters = useQuery({
    queryKey: ["clusters"],
    queryFn: async ({ signal }) => (await call(nests.clusters, { signal })).value.clusters,
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.some(({ reachable }) => reachable === "incomplete") === true ? 10_000 : false,
  });
  const quota = useQuery({
    queryKey: ["my-nests", "quota"],
    queryFn: async ({ signal }) => (await call(nests.mine, { query: { limit: 1 }, signal })).value,
    staleTime: 0,
  });
  const problem = clusters.error ?? quota.error;
  const isKnown = clusters.data !== undefined && quota.data !== undefined;
  // What was typed is only in this page: a later look that fails takes nothing away.
  if (problem !== null && !isKnown)
    return (
      <LoadFailed
        problem={problem}
        again={() => {
          void clusters.refetch();
          void quota.refetch();
        }}
      />
    );
  if (!isKnown) return <Loading rows={6} />;
  const { saas_quota: most, saas_used: used, is_admin: isAdmin } = quota.data;
  const isReached = claim === undefined && most !== undefined && used >= most;
  return (
    <>
      {isReached ? (
        <p className="notice" role="alert">
          You may have {plural(most, "nest")}, and have {used}. Delete one, or ask the hub's admin for more.
        </p>
      ) : undefined}
      {claim === undefined && clusters.data.length === 0 ? (
        <p className="notice" role="alert">
          This hub has no cluster on which a nest could live.{" "}
          {isAdmin ? <Link to="/clusters">Add one</Link> : "An admin adds one under Clusters."}
        </p>
      ) : undefined}
      <MissingParts clusters={clusters.data} />
      <Wizard clusters={clusters.data} claim={claim} />
    </>
  );
}
