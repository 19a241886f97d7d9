import { Button, Tooltip } from "@mantine/core";
import { nests } from "@nest/protocol";
import { IconChevronDown } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { call } from "../../shared/call/call.ts";
import { openConfirm } from "../../shared/forms/confirm.tsx";
import { Menu, MenuItem } from "../../shared/menu/menu.tsx";
import { actOnNest } from "./act-on-nest.ts";
import { askToDelete } from "./delete-nest.tsx";
import { openMigrate } from "./migrate-nest.tsx";
import { operationWords } from "./nest-words.ts";
import { openAddress } from "./open-address.ts";
import { openRename } from "./rename-nest.tsx";

export interface NestActionsProps {
  readonly nest: nests.NestDetail;
  readonly mayChange: boolean;
  readonly isAdmin: boolean;
}

/** What can be done with a nest: open it, and for its owners pause, upgrade, repair, rename, move, delete. */
export function NestActions({ nest, mayChange, isAdmin }: NestActionsProps) {
  const { id, status, operation } = nest;
  const opens = openAddress(nest);
  const busy = operation === undefined ? undefined : `It is ${operationWords(operation)}: wait until that is done.`;
  return (
    <div className="controls">
      {mayChange ? (
        <>
          {status === "available" && isAdmin ? (
            <Button component={Link} to="/my-nests/new" search={{ claim: id } as never}>
              Give to an owner
            </Button>
          ) : undefined}
          {status === "error" ? (
            <Act busy={busy} act={() => askToRetry(nest)}>
              Try again
            </Act>
          ) : undefined}
          {status === "paused" ? (
            <Act busy={busy} act={() => askToResume(nest)}>
              Resume
            </Act>
          ) : undefined}
          {status === "running" ? (
            <>
              <Act busy={busy} act={() => askToPause(nest)}>
                Pause
              </Act>
              <Act busy={busy} act={() => askToUpgrade(nest)}>
                Upgrade
              </Act>
            </>
          ) : undefined}
          <More nest={nest} isAdmin={isAdmin} busy={busy} />
        </>
      ) : undefined}
      {opens === undefined ? undefined : (
        <Button component="a" href={opens}>
          Open
        </Button>
      )}
    </div>
  );
}

interface ActProps {
  /** Why it cannot be done now. */
  readonly busy: string | undefined;
  readonly act: () => void;
  readonly children: string;
}

/** A button that says why it cannot be used while something is under way, also to keyboard and screen reader. */
function Act({ busy, act, children }: ActProps) {
  const button = (
    <Button
      variant="default"
      aria-disabled={busy !== undefined}
      data-disabled={busy !== undefined}
      onClick={(event) => {
        if (busy === undefined) act();
        else event.preventDefault();
      }}
    >
      {children}
    </Button>
  );
  return busy === undefined ? (
    button
  ) : (
    <Tooltip label={busy} multiline maw={280}>
      {button}
    </Tooltip>
  );
}

function More({
  nest,
  isAdmin,
  busy,
}: {
  readonly nest: nests.NestDetail;
  readonly isAdmin: boolean;
  readonly busy: string | undefined;
}) {
  const { status } = nest;
  return (
    <Menu
      button={(attributes) => (
        <Button variant="default" rightSection={<IconChevronDown size={14} aria-hidden="true" />} {...attributes}>
          More
        </Button>
      )}
    >
      <MenuItem act={() => openRename(nest)}>Rename…</MenuItem>
      <MenuItem disabled={busy !== undefined} act={() => askToRepair(nest)}>
        Repair…
      </MenuItem>
      {isAdmin && status !== "available" ? (
        <MenuItem disabled={busy !== undefined} act={() => openMigrate(nest)}>
          Move to another cluster…
        </MenuItem>
      ) : undefined}
      <MenuItem isDangerous disabled={status === "deleting"} act={() => void askToDelete(nest)}>
        Delete…
      </MenuItem>
    </Menu>
  );
}

function askToPause({ id }: nests.NestDetail): void {
  openConfirm({
    title: "Pause this nest?",
    consequences: (
      <ul className="consequences">
        <li>Its pod stops; a run that is under way ends.</li>
        <li>Its data stays. Resume brings it back as it was.</li>
      </ul>
    ),
    yes: "Pause",
    act: () => actOnNest(id, () => call(nests.pause, { params: { id } }), "It is being paused."),
  });
}

function askToResume({ id }: nests.NestDetail): void {
  openConfirm({
    title: "Resume this nest?",
    consequences: <p>Its pod starts again with the data it had. Its agents go on with their work.</p>,
    yes: "Resume",
    act: () => actOnNest(id, () => call(nests.resume, { params: { id } }), "It is being resumed."),
  });
}

function askToUpgrade({ id, image }: nests.NestDetail): void {
  openConfirm({
    title: "Upgrade this nest?",
    consequences: (
      <ul className="consequences">
        <li>The newest image of its channel is brought; now it runs {image ?? "the first one"}.</li>
        <li>It restarts: a run that is under way ends, and is begun again.</li>
        <li>If the new image does not come up, the old one is brought back.</li>
      </ul>
    ),
    yes: "Upgrade",
    act: () => actOnNest(id, () => call(nests.upgrade, { params: { id }, body: {} }), "The upgrade has begun."),
  });
}

function askToRetry({ id, auth_method: auth }: nests.NestDetail): void {
  openConfirm({
    title: "Try again?",
    consequences: (
      <p>
        The hub goes on with the step that failed.{" "}
        {auth === "app-later" ? "Its app has to be installed by now, with its key saved in the nest." : ""}
      </p>
    ),
    yes: "Try again",
    act: () => actOnNest(id, () => call(nests.retry, { params: { id } }), "The hub tries again."),
  });
}

/** Also asked for beside the list of what differs. */
export function askToRepair({ id }: nests.NestDetail): void {
  openConfirm({
    title: "Repair this nest?",
    consequences: (
      <ul className="consequences">
        <li>Every object is applied again as the hub wants it; what somebody changed by hand is overwritten.</li>
        <li>Its data and its credentials stay. It may restart.</li>
      </ul>
    ),
    yes: "Repair",
    act: () => actOnNest(id, () => call(nests.retry, { params: { id } }), "It is being repaired."),
  });
}
