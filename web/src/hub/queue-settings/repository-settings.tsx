import { Switch, TextInput } from "@mantine/core";
import { useState } from "react";
import { plural } from "../../shared/format/format.ts";
import { LinesField } from "../../shared/forms/lines-field.tsx";
import { Empty } from "../../shared/states/states.tsx";
import { useLive } from "../live/live.ts";
import { type SectionProps, SettingsSection } from "./section.tsx";
import { Setting } from "./setting.tsx";

/** More repositories than this are found by searching. */
const MOST_SHOWN = 50;

/** A switch for each monitored repository, and a list of other names that are switched off in advance. */
export function RepositorySettings({ form, draft }: SectionProps) {
  const repositories = useLive((live) => live.status?.repositories) ?? [];
  const [typed, setTyped] = useState("");
  const off = draft.disabled_repos;
  const namesOf = (repo: string) => [repo.toLowerCase(), repo.slice(repo.indexOf("/") + 1).toLowerCase()];
  const isOff = (repo: string) => off.some((one) => namesOf(repo).includes(one.toLowerCase()));
  const turn = (repo: string, on: boolean) =>
    form.change({
      disabled_repos: on ? off.filter((one) => !namesOf(repo).includes(one.toLowerCase())) : [...off, repo],
    });
  const unknown = off.filter((one) => !repositories.some(({ repo }) => namesOf(repo).includes(one.toLowerCase())));
  const matching = repositories.filter(({ repo }) => repo.toLowerCase().includes(typed.trim().toLowerCase()));
  return (
    <SettingsSection
      id="repositories"
      title="Repositories"
      about="A monitored repository serves work unless it is switched off. New ones begin switched on."
    >
      <Setting keys={["disabled_repos"]} words={repositories.map(({ repo }) => repo).join(" ")} {...{ form, draft }}>
        {repositories.length > MOST_SHOWN ? (
          <TextInput
            aria-label="Search repositories"
            placeholder="Search repositories"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        ) : undefined}
        {matching.length === 0 ? <Empty>No such repository.</Empty> : undefined}
        <div className="switches">
          {matching.slice(0, MOST_SHOWN).map(({ repo, issues }) => (
            <Switch
              key={repo}
              label={repo}
              description={plural(issues, "open issue")}
              checked={!isOff(repo)}
              onChange={(event) => turn(repo, event.currentTarget.checked)}
            />
          ))}
        </div>
        {matching.length > MOST_SHOWN ? (
          <p className="soft small">and {matching.length - MOST_SHOWN} more: search for them</p>
        ) : undefined}
        <LinesField
          label="Others switched off"
          description="owner/name or name, one a line: not monitored now, switched off should they be one day."
          lines={unknown}
          error={form.faults.disabled_repos}
          change={(lines) =>
            form.change({ disabled_repos: [...off.filter((one) => !unknown.includes(one)), ...lines] })
          }
        />
      </Setting>
    </SettingsSection>
  );
}
