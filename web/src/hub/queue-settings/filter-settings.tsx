import { SegmentedControl, Switch } from "@mantine/core";
import { LinesField } from "../../shared/forms/lines-field.tsx";
import { Preview } from "./preview.tsx";
import { type SectionProps, SettingsSection } from "./section.tsx";
import { Setting } from "./setting.tsx";

const filters = [
  {
    name: "Labels",
    mode: "contribute_labels_mode",
    list: "contribute_deny_labels",
    syntax: "One a line: a whole label, * wildcards, or /a regular expression/. Case does not matter.",
  },
  {
    name: "Titles",
    mode: "contribute_titles_mode",
    list: "contribute_deny_titles",
    syntax: "One a line: part of a title, * wildcards over the whole of it, or /a regular expression/.",
  },
  {
    name: "Authors",
    mode: "contribute_authors_mode",
    list: "contribute_deny_authors",
    syntax: "One a line: a whole login, * wildcards, or /a regular expression/.",
  },
] as const;

/** Filters by label, title and author, each with a preview of what it matches now. */
export function FilterSettings({ form, draft }: SectionProps) {
  return (
    <SettingsSection
      id="filters"
      title="Filters"
      about="Which open issues are offered. Saved filters hold at once for what is not handed out yet."
    >
      {filters.map(({ name, mode, list, syntax }) => (
        <Setting key={list} keys={[mode, list]} words={`${name} deny allow`} {...{ form, draft }}>
          <fieldset className="filter">
            <legend>{name}</legend>
            <SegmentedControl
              aria-label={`${name}: what the list means`}
              value={draft[mode]}
              onChange={(value) => form.change({ [mode]: value === "allow" ? "allow" : "deny" })}
              data={[
                { value: "deny", label: "Leave these out" },
                { value: "allow", label: "Only these" },
              ]}
            />
            <LinesField
              label={`${name} to ${draft[mode] === "deny" ? "leave out" : "offer"}`}
              description={`${syntax} An empty list filters nothing.`}
              lines={draft[list]}
              error={form.faults[list]}
              change={(lines) => form.change({ [list]: lines })}
            />
            <Preview
              patterns={list}
              lines={draft[list]}
              meaning={draft[mode] === "deny" ? "these are left out" : "only these are offered"}
            />
          </fieldset>
        </Setting>
      ))}
      <Setting keys={["contribute_skip_trackers"]} words="tracker epic" {...{ form, draft }}>
        <Switch
          label="Leave out issues that only collect others"
          checked={draft.contribute_skip_trackers}
          onChange={(event) => form.change({ contribute_skip_trackers: event.currentTarget.checked })}
        />
      </Setting>
      <Setting keys={["contribute_skip_assigned_to_others"]} {...{ form, draft }}>
        <Switch
          label="Leave out issues assigned to others"
          description="They are still offered to whom they are assigned to."
          checked={draft.contribute_skip_assigned_to_others}
          onChange={(event) => form.change({ contribute_skip_assigned_to_others: event.currentTarget.checked })}
        />
      </Setting>
    </SettingsSection>
  );
}
