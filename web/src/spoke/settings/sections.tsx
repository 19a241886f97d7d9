import { Button } from "@mantine/core";
import type { nestConfig } from "@nest/protocol";
import { type ReactNode, useState } from "react";
import type { Faults } from "../../shared/drafts/use-draft.ts";
import { AddAgent } from "./add-agent.tsx";
import { FieldInput } from "./field-input.tsx";
import { agentFields, type Field, fixedSections, modeFields } from "./fields.ts";
import { namesIn, type Value, type Values } from "./values.ts";

export interface SettingsSectionsProps {
  readonly view: nestConfig.ConfigView;
  readonly values: Values;
  readonly faults: Faults;
  readonly rows: ReadonlyMap<string, nestConfig.ProvenanceRow>;
  readonly change: (key: string, value: Value) => void;
}

interface Part {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  /** Its fields; with a name where they belong to one agent or one mode. */
  readonly groups: readonly { readonly name?: string; readonly fields: readonly Field[] }[];
}

/** The parts of the page, in their order. */
export function sectionsOf(config: Readonly<Record<string, unknown>>): Part[] {
  const { project, governor, labels, codeHost, hub, access, backup } = fixedSections;
  const agents = namesIn(config, "agents");
  const whole = ({ fields, ...part }: (typeof fixedSections)[keyof typeof fixedSections]) => ({
    ...part,
    groups: [{ fields }],
  });
  const modes = namesIn(config, "governor.modes").map((name) => ({
    name: `Mode ${name}`,
    fields: modeFields(name, agents),
  }));
  return [
    whole(project),
    {
      id: "agents",
      title: "Agents",
      about: "Who works here, with which CLI, and within which limits.",
      groups: agents.map((name) => ({ name, fields: agentFields(name) })),
    },
    { ...whole(governor), groups: [{ fields: governor.fields }, ...modes] },
    whole(labels),
    whole(codeHost),
    whole(hub),
    whole(access),
    whole(backup),
  ];
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
          {groups.map(({ name, fields }) =>
            name === undefined ? (
              <Fields key="" fields={fields} {...props} />
            ) : (
              <details key={name} className="setting-group">
                <summary>
                  <bdi>{name}</bdi>
                </summary>
                <Fields fields={fields} {...props} />
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
  if (id === "agents") return <NewAgent view={view} />;
  if (id === "backup")
    return (
      <p>
        <a href="/backup">Make a backup, or change its key</a>
      </p>
    );
  return undefined;
}

function NewAgent({ view }: { readonly view: nestConfig.ConfigView }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      <Button variant="default" disabled={view.read_only !== undefined} onClick={() => setOpen(true)}>
        Add an agent
      </Button>
      {isOpen ? (
        <AddAgent names={namesIn(view.config, "agents")} revision={view.revision} isOpen close={() => setOpen(false)} />
      ) : undefined}
    </div>
  );
}
