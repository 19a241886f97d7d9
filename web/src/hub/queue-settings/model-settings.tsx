import { Button, Switch } from "@mantine/core";
import { LinesField } from "../../shared/forms/lines-field.tsx";
import { Preview } from "./preview.tsx";
import { type SectionProps, SettingsSection } from "./section.tsx";
import { Setting } from "./setting.tsx";

const presets = ["claude-*", "gpt-*", "gemini-*", "qwen*", "llama*"] as const;

/** Which models are accepted. The hub checks when a relay connects, so that no running task is stopped. */
export function ModelSettings({ form, draft }: SectionProps) {
  const accepted = draft.contribute_allow_models;
  return (
    <SettingsSection
      id="models"
      title="Models"
      about="Checked when a relay connects; agents in the middle of a task are left alone. An empty list accepts every model."
    >
      <Setting keys={["contribute_allow_models"]} words="presets claude gpt gemini" {...{ form, draft }}>
        <div className="presets">
          {presets.map((preset) => (
            <Button
              key={preset}
              size="compact-sm"
              variant="default"
              disabled={accepted.includes(preset)}
              aria-label={`Accept ${preset}`}
              onClick={() => form.change({ contribute_allow_models: [...accepted, preset] })}
            >
              {preset}
            </Button>
          ))}
        </div>
        <LinesField
          label="Accepted models"
          description="One a line: a whole name, * wildcards, or /a regular expression/. Case does not matter."
          lines={accepted}
          error={form.faults.contribute_allow_models}
          change={(lines) => form.change({ contribute_allow_models: lines })}
        />
        <Preview patterns="contribute_allow_models" lines={accepted} meaning="these are accepted" />
      </Setting>
      <Setting keys={["contribute_reject_unknown_models"]} {...{ form, draft }}>
        <Switch
          label="Reject other models at connect"
          description={
            draft.contribute_reject_unknown_models && accepted.length === 0
              ? "Has no effect while the list is empty."
              : "A relay whose model matches nothing is refused, and told what is accepted. It exits."
          }
          checked={draft.contribute_reject_unknown_models}
          onChange={(event) => form.change({ contribute_reject_unknown_models: event.currentTarget.checked })}
        />
      </Setting>
    </SettingsSection>
  );
}
