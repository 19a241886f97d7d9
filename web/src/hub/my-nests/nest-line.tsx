import { Button } from "@mantine/core";
import type { nests } from "@nest/protocol";
import { Link } from "@tanstack/react-router";
import { plural } from "../../shared/format/format.ts";
import { Heard, isExpected, LastHeard } from "./heard.tsx";
import { nameOf } from "./nest-words.ts";
import { openAddress } from "./open-address.ts";
import { StatusMark } from "./status-mark.tsx";

export interface NestLineProps {
  readonly nest: nests.NestRow;
  readonly isAdmin: boolean;
}

/** One nest of the list: what it is, where it stands, and the way into it. */
export function NestLine({ nest, isAdmin }: NestLineProps) {
  const { id, acmm_level: level, version, agents, role, requests, differences, error } = nest;
  const opens = openAddress(nest);
  return (
    <div className="nest-line">
      <div className="nest-who">
        <p className="cut">
          <Link to="/my-nests/$id" params={{ id } as never}>
            <bdi>{nameOf(nest)}</bdi>
          </Link>
        </p>
        <p className="facts cut">
          <span>{id}</span>
          {isAdmin ? <bdi>{nest.owner === "" ? "nobody's yet" : nest.owner}</bdi> : undefined}
          {nest.cluster_id === "" ? undefined : <span>{nest.cluster_id}</span>}
        </p>
      </div>
      <div className="nest-stand">
        <p>
          <StatusMark status={nest.status} operation={nest.operation} />
        </p>
        <p className="nest-heard">
          <Heard nest={nest} />
          {nest.online || !isExpected(nest) ? undefined : (
            <span className="soft small">
              <LastHeard nest={nest} />
            </span>
          )}
        </p>
      </div>
      <p className="facts nest-facts">
        <span>level {level}</span>
        {version === undefined ? undefined : <span>version {version}</span>}
        {agents === undefined ? undefined : <span>{plural(agents, "agent")}</span>}
        {role === undefined ? undefined : <b>{role}</b>}
        {requests === 0 ? undefined : (
          <span className="mark" data-tone="warn">
            {requests === 1 ? "1 asks for access" : `${requests} ask for access`}
          </span>
        )}
        {differences === 0 ? undefined : (
          <span className="mark" data-tone="warn">
            {plural(differences, "difference")}
          </span>
        )}
      </p>
      <div className="nest-acts">
        {opens === undefined ? undefined : (
          <Button component="a" href={opens} size="compact-sm" variant="light" aria-label={`Open ${nameOf(nest)}`}>
            Open
          </Button>
        )}
      </div>
      {error === undefined ? undefined : (
        <p className="nest-error cut" title={error}>
          <bdi>{error}</bdi>
        </p>
      )}
    </div>
  );
}
