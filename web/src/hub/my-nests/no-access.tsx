import { Button } from "@mantine/core";
import { nests } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { useSubmit } from "../../shared/forms/confirm.tsx";
import { signOut, useWho } from "../../shared/session/session.ts";
import { LoadFailed } from "../../shared/states/states.tsx";
import { attempt } from "../../shared/toast/toast.tsx";

/** For somebody whom a nest let in no further: who they are here, which nest it is, and how to ask for a role. */
export function NoAccess() {
  const { id } = useParams({ strict: false }) as { readonly id: string };
  const login = useWho()?.login ?? "";
  const [hasAsked, setAsked] = useState(false);
  const { isPending, problem, run } = useSubmit(async () => {
    await call(nests.requestAccess, { params: { id } });
    setAsked(true);
  });
  const {
    data: role,
    isFetching,
    refetch,
  } = useQuery({
    queryKey: ["own-role", id],
    // Somebody may have let them in meanwhile.
    queryFn: async ({ signal }) => {
      const { value } = await call(nests.mine, { query: { q: id }, signal });
      const own = value.nests.find((nest) => nest.id === id);
      return own === undefined ? "none" : (own.role ?? "admin");
    },
    staleTime: 0,
    gcTime: 0,
  });
  const isIn = role !== undefined && role !== "none";
  return (
    <div className="lead closed">
      <h1>{isIn ? "You may come in" : "You have no access to this nest"}</h1>
      <p>
        You are signed in as{" "}
        <b>
          <bdi>{login}</bdi>
        </b>
        . The nest is <code>{id}</code>.
      </p>
      {isIn ? (
        <p>{role === "admin" ? "As an admin of this hub you act as an owner." : `Your role on it is ${role}.`}</p>
      ) : hasAsked ? (
        <p role="status">
          You have asked. Its owners see that on the nest's page; when one of them agrees, you may open it at once.
          Nobody writes to you: look here again later.
        </p>
      ) : (
        <p>Its owners decide who comes in. When you ask, they are shown your login, and nothing else.</p>
      )}
      {problem === undefined ? undefined : <LoadFailed problem={problem} />}
      <div className="controls">
        {isIn ? (
          <Button component={Link} to="/my-nests/$id" params={{ id } as never}>
            To the nest
          </Button>
        ) : hasAsked ? (
          <Button loading={isFetching} onClick={() => void refetch()}>
            Look again
          </Button>
        ) : (
          <Button loading={isPending} onClick={run}>
            Ask for access
          </Button>
        )}
        <Button variant="default" component={Link} to="/my-nests">
          My nests
        </Button>
        <Button variant="default" onClick={() => attempt(signOut)}>
          Sign in as somebody else
        </Button>
      </div>
    </div>
  );
}
