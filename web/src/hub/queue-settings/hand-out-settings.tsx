import { NumberInput, Switch, Textarea } from "@mantine/core";
import { type SectionProps, SettingsSection } from "./section.tsx";
import { Setting } from "./setting.tsx";

/** Suspension, announcement, registration, and how long issues wait. */
export function HandOutSettings({ form, draft }: SectionProps) {
  const { change, faults } = form;
  return (
    <SettingsSection
      id="hand-out"
      title="Handing out"
      about="Holds for every relay, from the moment it is saved. Running tasks go on."
    >
      <Setting keys={["contribute_suspended"]} words="suspend handing out pause stop" {...{ form, draft }}>
        <Switch
          label="Suspend handing out"
          description="Relays stay connected and idle."
          checked={draft.contribute_suspended}
          onChange={(event) => change({ contribute_suspended: event.currentTarget.checked })}
        />
      </Setting>
      <Setting keys={["contribute_announcement"]} words="message everybody" {...{ form, draft }}>
        <Textarea
          label="Announcement"
          description="Told to every relay and shown on the public page. Empty: none."
          autosize
          minRows={2}
          value={draft.contribute_announcement}
          error={faults.contribute_announcement}
          onChange={(event) => change({ contribute_announcement: event.currentTarget.value })}
        />
      </Setting>
      <Setting keys={["open_registration"]} {...{ form, draft }}>
        <Switch
          label="Registration without proof"
          description="Anybody can register any login. For a machine of one's own and for tests."
          checked={draft.open_registration}
          onChange={(event) => change({ open_registration: event.currentTarget.checked })}
        />
      </Setting>
      <Setting keys={["contribute_cooldown_enabled"]} {...{ form, draft }}>
        <Switch
          label="Completed issues wait"
          description="Off: a completed issue waits only until its pull request was seen."
          checked={draft.contribute_cooldown_enabled}
          onChange={(event) => change({ contribute_cooldown_enabled: event.currentTarget.checked })}
        />
      </Setting>
      <div className="numbers">
        <Setting keys={["contribute_cooldown_hours"]} {...{ form, draft }}>
          <NumberInput
            label="Hours a completed issue waits"
            allowDecimal={false}
            disabled={!draft.contribute_cooldown_enabled}
            value={draft.contribute_cooldown_hours}
            error={faults.contribute_cooldown_hours}
            onChange={(value) => change({ contribute_cooldown_hours: Number(value) })}
          />
        </Setting>
        <Setting keys={["contribute_claim_stale_hours"]} {...{ form, draft }}>
          <NumberInput
            label="Hours until a red pull request claims nothing"
            allowDecimal={false}
            value={draft.contribute_claim_stale_hours}
            error={faults.contribute_claim_stale_hours}
            onChange={(value) => change({ contribute_claim_stale_hours: Number(value) })}
          />
        </Setting>
      </div>
    </SettingsSection>
  );
}
