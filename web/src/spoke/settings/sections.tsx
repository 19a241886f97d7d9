import { Button } from "@mantine/core";
import type { nestConfig } from "@nest/protocol";
import { type ComponentType, lazy, type ReactNode, Suspense, useState } from "react";
import type { Faults } from "../../shared/drafts/use-draft.ts";
import { Loading } from "../../shared/states/states.tsx";
import type { AddModeProps } from "./add-mode.tsx";
import { kindOf } from "./channel-fields.ts";
import { fieldsOfChannel } from "./config.ts";
import { FieldInput } from "./field-input.tsx";
import { agentFields, type Field, fixedSections, modeFields } from "./fields.ts";
import { RemoveAgent, RemoveChannel, RemovedEntries, type RemovedEntriesProps, RemoveMode } from "./removing.tsx";
import { entryNames, namesIn, removedIn, type Value, type Values } from "./values.ts";

// Most visits add nothing and test nothing: the page does not wait for these.
const AddAgent = lazy(async () => ({ default: (await import("./add-agent.tsx")).AddAgent }));
const AddChannel = lazy(async () => ({ default: (await import("./add-channel.tsx")).AddChannel }));
const AddMode = lazy(async () => ({ default: (await import("./add-mode.tsx")).AddMode }));
const ChannelPanel = lazy(async () => ({ default: (await import("./channel.tsx")).ChannelPanel }));

type Config = Readonly<Record<string, unknown>>;

export interface SettingsSectionsProps {
  readonly view: nestConfig.ConfigView;
  readonly values: Values;
  /** Keys that are changed and not saved. */
  readonly changed: readonly string[];
  readonly faults: Faults;
  readonly rows: ReadonlyMap<string, nestConfig.ProvenanceRow>;
  readonly change: (key: string, value: Value) => void;
}

interface Group {
  /** Where its fields belong to one agent, one mode or one channel. */
  readonly name?: string;
  readonly fields: readonly Field[];
  /** What stands below its fields. */
  readonly foot?: (view: nestConfig.ConfigView, isChanged: boolean) => ReactNode;
}

interface Part {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly groups: readonly Group[];
}

/** The parts of the page, in their order. */
export function sectionsOf(config: Config): Part[] {
  const { project, governor, labels, codeHost, hub, access, backup } = fixedSections;
  const whole = ({ fields, ...part }: (typeof fixedSections)[keyof typeof fixedSections]) => ({
    ...part,
    groups: [{ fields }],
  });
  return [
    whole(project),
    {
      id: "agents",
      title: "Agents",
      about: "Who works here, with which CLI, and within which limits.",
      groups: namesIn(config, "agents").map((name) => ({
        name,
        fields: agentFields(name),
        foot: (view) => <RemoveAgent name={name} view={view} />,
      })),
    },
    { ...whole(governor), groups: [{ fields: governor.fields }, ...modeGroups(config)] },
    whole(labels),
    whole(codeHost),
    whole(hub),
    whole(access),
    {
      id: "notifications",
      title: "Notifications",
      about:
        "Whom this nest tells elsewhere of what happens. At most 20 messages an hour go over a channel; more come as one.",
      groups: namesIn(config, "notifications.channels").map((name) => channelGroup(config, name)),
    },
    whole(backup),
  ];
}

function modeGroups(config: Config): Group[] {
  const agents = namesIn(config, "agents");
  return namesIn(config, "governor.modes").map((mode) => ({
    name: `Mode ${mode}`,
    fields: modeFields(mode, agents),
    foot: (view) => <RemoveMode name={mode} view={view} />,
  }));
}

function channelGroup(config: Config, name: string): Group {
  const kind = kindOf(config, name);
  return {
    name,
    fields: fieldsOfChannel(config, name),
    foot: (view, isChanged) => (
      <>
        {kind === undefined ? undefined : (
          <Suspense fallback={<Loading rows={2} />}>
            <ChannelPanel name={name} kind={kind} isChanged={isChanged} />
          </Suspense>
        )}
        <RemoveChannel name={name} view={view} />
      </>
    ),
  };
}

/** All parts of the settings with their fields. */
export function SettingsSections(props: SettingsSectionsProps) {
  const { view } = props;
  return (
    <div className="settings">
      {sectionsOf(view.config).map(({ id, title, about, groups }) => (
        <section key={id} className="panel part" id={id} aria-labelledby={`${id}-title`} tabIndex={-1}>
          <h2 id={`${id}-title`}>{title}</h2>
          <p className="soft">{about}</p>
          {groups.map(({ name, fields, foot }) =>
            name === undefined ? (
              <Fields key="" fields={fields} {...props} />
            ) : (
              <details key={name} className="setting-group">
                <summary>
                  <bdi>{name}</bdi>
                </summary>
                <Fields fields={fields} {...props} />
                {foot?.(
                  view,
                  fields.some(({ key }) => props.changed.includes(key)),
                )}
              </details>
            ),
          )}
          {extrasOf(id, view)}
        </section>
      ))}
    </div>
  );
}

function Fields({
  fields,
  view,
  values,
  faults,
  rows,
  change,
}: SettingsSectionsProps & { readonly fields: readonly Field[] }) {
  return (
    <div className="setting-grid">
      {fields.map((field) => (
        <FieldInput
          key={field.key}
          field={field}
          value={values[field.key] ?? null}
          fault={faults[field.key]}
          row={rows.get(field.key)}
          isReadOnly={view.read_only !== undefined}
          change={(value) => change(field.key, value)}
        />
      ))}
    </div>
  );
}

function extrasOf(id: string, view: nestConfig.ConfigView): ReactNode {
  switch (id) {
    case "agents":
      return (
        <>
          <Removed at="agents" view={view} bringBack={(name) => ({ agents: { [name]: null } })} />
          <Adding what="an agent" view={view} dialog={AddAgent} names={namesIn(view.config, "agents")} />
        </>
      );
    case "governor":
      return (
        <>
          <Removed at="governor.modes" view={view} bringBack={(name) => ({ governor: { modes: { [name]: null } } })} />
          <Adding what="a mode" view={view} dialog={AddMode} names={entryNames(view.config, "governor.modes")} />
        </>
      );
    case "notifications": {
      const at = "notifications.channels";
      return (
        <>
          <Removed at={at} view={view} bringBack={(name) => ({ notifications: { channels: { [name]: null } } })} />
          <Adding what="a channel" view={view} dialog={AddChannel} names={namesIn(view.config, at)} />
        </>
      );
    }
    case "backup":
      return (
        <p>
          <a href="/backup">Make a backup, or change its key</a>
        </p>
      );
    default:
      return undefined;
  }
}

function Removed({ at, ...more }: Omit<RemovedEntriesProps, "names"> & { readonly at: string }) {
  return <RemovedEntries names={removedIn(more.view.config, at)} {...more} />;
}

interface AddingProps {
  readonly what: string;
  readonly view: nestConfig.ConfigView;
  readonly names: readonly string[];
  readonly dialog: ComponentType<AddModeProps>;
}

/** The button that adds an entry, and its dialog. */
function Adding({ what, view, names, dialog: Dialog }: AddingProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      <Button variant="default" disabled={view.read_only !== undefined} onClick={() => setOpen(true)}>
        Add {what}
      </Button>
      {isOpen ? (
        <Suspense>
          <Dialog
            names={names}
            agents={namesIn(view.config, "agents")}
            revision={view.revision}
            close={() => setOpen(false)}
          />
        </Suspense>
      ) : undefined}
    </div>
  );
}
