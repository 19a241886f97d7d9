import { Button, Select, TextInput } from "@mantine/core";
import { type NestRole, nestRoles, nests } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { dateAndTime } from "../../shared/format/format.ts";
import { useSubmit } from "../../shared/forms/confirm.tsx";
import { Panel } from "../../shared/layout/panel.tsx";
import { LoadFailed, Loading } from "../../shared/states/states.tsx";
import { showError } from "../../shared/toast/toast.tsx";
import { actOnNest } from "./act-on-nest.ts";

export interface PeoplePanelProps {
  readonly nest: nests.NestDetail;
  readonly isAdmin: boolean;
}

const meanings: Readonly<Record<NestRole, string>> = {
  read: "look at everything",
  "read-write": "and steer the agents",
  merger: "and merge what waits",
  owner: "and change settings and people",
};

/** Who may come into a nest, who asks for it, and the form that gives a role. */
export function PeoplePanel({ nest: { id }, isAdmin }: PeoplePanelProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ["nest-people", id],
    queryFn: async ({ signal }) => (await call(nests.access, { params: { id }, signal })).value,
  });
  // Nobody gives a role at or above their own.
  const roles = isAdmin ? nestRoles : nestRoles.filter((role) => role !== "owner");
  return (
    <Panel id="people" title="People" tally={data === undefined ? undefined : String(data.access.length)}>
      {error !== null && data === undefined ? (
        <LoadFailed problem={error} again={() => void refetch()} />
      ) : data === undefined ? (
        <Loading rows={3} />
      ) : (
        <>
          {data.requests.length === 0 ? undefined : (
            <ul className="plain-list" aria-label="People who ask for access">
              {data.requests.map((request) => (
                <Request key={request.username} id={id} request={request} roles={roles} />
              ))}
            </ul>
          )}
          <ul className="plain-list" aria-label="People with a role">
            {data.access.map((person) => (
              <Person key={person.username} id={id} person={person} roles={roles} />
            ))}
          </ul>
          <Grant id={id} roles={roles} />
        </>
      )}
    </Panel>
  );
}

async function changePeople(id: string, act: () => Promise<unknown>, done: string): Promise<void> {
  try {
    await actOnNest(id, act, done);
  } finally {
    // Also when it failed: somebody else may have been first.
    await queries.invalidateQueries({ queryKey: ["nest-people", id] });
  }
}

function give(id: string, username: string, role: NestRole): Promise<void> {
  return changePeople(
    id,
    () => call(nests.grant, { params: { id }, body: { username, role } }),
    `${username} has the role ${role} now.`,
  );
}

interface PersonProps {
  readonly id: string;
  readonly person: { readonly username: string; readonly role: NestRole };
  readonly roles: readonly NestRole[];
}

function Person({ id, person: { username, role }, roles }: PersonProps) {
  const mayChange = roles.includes(role);
  const revoke = () =>
    changePeople(
      id,
      () => call(nests.revoke, { params: { id, username } }),
      `${username} has no role on this nest any more.`,
    ).catch(showError);
  return (
    <li className="person">
      <bdi>{username}</bdi>
      {mayChange ? (
        <>
          <Select
            size="xs"
            w="9.5rem"
            aria-label={`Role of ${username}`}
            allowDeselect={false}
            data={[...roles]}
            value={role}
            onChange={(value) => {
              const chosen = roles.find((one) => one === value);
              if (chosen !== undefined && chosen !== role) void give(id, username, chosen).catch(showError);
            }}
          />
          <Button size="compact-sm" variant="default" aria-label={`Take away the role of ${username}`} onClick={revoke}>
            Take away
          </Button>
        </>
      ) : (
        <span className="soft">{role}</span>
      )}
    </li>
  );
}

interface RequestProps {
  readonly id: string;
  readonly request: { readonly username: string; readonly at: string };
  readonly roles: readonly NestRole[];
}

function Request({ id, request: { username, at }, roles }: RequestProps) {
  const [role, setRole] = useState<NestRole>("read");
  const deny = () =>
    changePeople(
      id,
      () => call(nests.denyRequest, { params: { id, username } }),
      `The request of ${username} was turned down.`,
    ).catch(showError);
  return (
    <li className="person">
      <bdi>
        <b>{username}</b> asks for access <span className="soft small">since {dateAndTime(at)}</span>
      </bdi>
      <Select
        size="xs"
        w="9.5rem"
        aria-label={`Role for ${username}`}
        allowDeselect={false}
        data={[...roles]}
        value={role}
        onChange={(value) => setRole(roles.find((one) => one === value) ?? "read")}
      />
      <Button
        size="compact-sm"
        aria-label={`Let in ${username}`}
        onClick={() => void give(id, username, role).catch(showError)}
      >
        Let in
      </Button>
      <Button size="compact-sm" variant="default" aria-label={`Turn down ${username}`} onClick={deny}>
        Turn down
      </Button>
    </li>
  );
}

function Grant({ id, roles }: { readonly id: string; readonly roles: readonly NestRole[] }) {
  const [username, setUsername] = useState("");
  const [role, setRole] = useState<NestRole>("read");
  const { isPending, problem, run } = useSubmit(async () => {
    await give(id, username.trim(), role);
    setUsername("");
  });
  return (
    <form
      className="pad grant"
      aria-label="Give somebody a role"
      onSubmit={(event) => {
        event.preventDefault();
        if (username.trim() !== "") run();
      }}
    >
      <div className="field-line">
        <TextInput
          className="grow"
          label="Give a role to"
          placeholder="Login at the code host"
          autoComplete="off"
          maxLength={100}
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
        />
        <Select
          w="9.5rem"
          label="Role"
          allowDeselect={false}
          data={[...roles]}
          value={role}
          onChange={(value) => setRole(roles.find((one) => one === value) ?? "read")}
        />
        <Button type="submit" variant="default" disabled={username.trim() === ""} loading={isPending}>
          Give
        </Button>
      </div>
      <p className="soft small">
        May{" "}
        {nestRoles
          .slice(0, nestRoles.indexOf(role) + 1)
          .map((one) => meanings[one])
          .join(", ")}
        . It holds at once.
      </p>
      {problem === undefined ? undefined : <LoadFailed problem={problem} />}
    </form>
  );
}
