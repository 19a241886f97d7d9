import "./my-nests.css";
import { Button } from "@mantine/core";
import type { nests } from "@nest/protocol";
import { Link, useParams } from "@tanstack/react-router";
import { capitalised } from "../../shared/format/format.ts";
import { useIsAdmin } from "../../shared/session/session.ts";
import { LoadFailed, Loading } from "../../shared/states/states.tsx";
import { DriftPanel } from "./drift-panel.tsx";
import { FactsPanel } from "./facts-panel.tsx";
import { Heard } from "./heard.tsx";
import { NestActions } from "./nest-actions.tsx";
import { nameOf, operationWords } from "./nest-words.ts";
import { PeoplePanel } from "./people-panel.tsx";
import { StatusMark } from "./status-mark.tsx";
import { StepsPanel } from "./steps-panel.tsx";
import { Switches } from "./switches.tsx";
import { useNest } from "./use-nest.ts";

/** One nest, live: its steps, what is known of it, who may come in, and what can be done with it. */
export function OneNest() {
  const { id } = useParams({ strict: false }) as { readonly id: string };
  const { nest, problem, isGone, again } = useNest(id);
  const isAdmin = useIsAdmin();
  return (
    <>
      <p className="crumb">
        <Link to="/my-nests">My nests</Link>
      </p>
      {isGone ? (
        <Gone id={id} />
      ) : problem !== null ? (
        <LoadFailed problem={problem} again={again} />
      ) : nest === undefined ? (
        <Loading rows={8} />
      ) : (
        <Shown nest={nest} isAdmin={isAdmin} />
      )}
    </>
  );
}

function Shown({ nest, isAdmin }: { readonly nest: nests.NestDetail; readonly isAdmin: boolean }) {
  const mayChange = isAdmin || nest.role === "owner";
  return (
    <>
      <div className="page-head">
        <h1>
          <bdi>{nameOf(nest)}</bdi> <StatusMark status={nest.status} operation={nest.operation} />
        </h1>
        <NestActions nest={nest} mayChange={mayChange} isAdmin={isAdmin} />
        <Notice nest={nest} mayChange={mayChange} />
      </div>
      <div className="columns">
        <div className="stack">
          <StepsPanel nest={nest} />
          <FactsPanel nest={nest} heard={<Heard nest={nest} />} />
        </div>
        <div className="stack">
          {mayChange ? (
            <>
              <DriftPanel nest={nest} />
              <Switches nest={nest} />
              <PeoplePanel nest={nest} isAdmin={isAdmin} />
            </>
          ) : (
            <p className="soft small">
              Your role here is {nest.role ?? "none"}: you may open the nest. Its owners change it, and give roles.
            </p>
          )}
        </div>
      </div>
    </>
  );
}

/** What has to be known before anything else: why it failed, or what is under way. */
function Notice({
  nest: { status, error, operation, auth_method: auth },
  mayChange,
}: {
  readonly nest: nests.NestDetail;
  readonly mayChange: boolean;
}) {
  if (error !== undefined && operation === undefined)
    return (
      <p className="notice" role="alert">
        <bdi>{sentenceOf(error)}</bdi>{" "}
        {!mayChange
          ? ""
          : auth === "app-later"
            ? "When its app is installed, choose Try again."
            : "Then choose Try again."}
      </p>
    );
  if (status === "paused" && operation === undefined)
    return <p className="notice">This nest is paused: nothing of it runs, and its data is kept.</p>;
  return operation === undefined ? undefined : (
    <p className="notice" role="status">
      This nest is {operationWords(operation)}. You may leave this page; the hub goes on.
    </p>
  );
}

function sentenceOf(text: string): string {
  return `${capitalised(text)}${/[.!?]$/.test(text) ? "" : "."}`;
}

function Gone({ id }: { readonly id: string }) {
  return (
    <div className="lead closed">
      <h1>No such nest for you</h1>
      <p>
        There is no nest <code>{id}</code>, it was deleted, or you have no role on it.
      </p>
      <div className="controls">
        <Button component={Link} to="/my-nests">
          My nests
        </Button>
        <Button variant="default" component={Link} to="/my-nests/$id/no-access" params={{ id } as never}>
          Ask for access
        </Button>
      </div>
    </div>
  );
}
