import { Checkbox, NumberInput, Switch } from "@mantine/core";
import { delegatableRoles } from "@nest/protocol";
import type { Settings } from "./faults.ts";
import { type SectionProps, SettingsSection } from "./section.tsx";
import { Setting } from "./setting.tsx";

type WorkingTier = keyof Settings["tier_limits"];
const tierNames: readonly WorkingTier[] = ["newcomer", "contributor", "trusted", "merger", "advisor"];
const limits = [
  ["max_per_hour", "Per hour"],
  ["max_per_day", "Per day"],
  ["max_concurrent", "At once"],
] as const;

/** Trust tiers: on or off, their limits, what promotes, and the roles that may be delegated. */
export function TierSettings({ form, draft }: SectionProps) {
  const { change, faults } = form;
  return (
    <SettingsSection
      id="tiers"
      title="Trust tiers"
      about="0 means no limit. A tier that is off is given no work; its running tasks go on."
    >
      <Setting
        keys={["tier_limits", "disabled_tiers"]}
        words="newcomer contributor trusted merger advisor hour day at once"
        {...{ form, draft }}
      >
        <div className="tiers">
          {tierNames.map((tier) => (
            <TierRow key={tier} tier={tier} form={form} draft={draft} />
          ))}
        </div>
        {faults.tier_limits === undefined ? undefined : (
          <p data-tone="bad" role="alert">
            {faults.tier_limits}
          </p>
        )}
      </Setting>
      <div className="numbers">
        <Setting keys={["contribute_contributor_at"]} {...{ form, draft }}>
          <NumberInput
            label="Verified pull requests to become contributor"
            description="0: only an admin promotes."
            allowDecimal={false}
            value={draft.contribute_contributor_at}
            error={faults.contribute_contributor_at}
            onChange={(value) => change({ contribute_contributor_at: Number(value) })}
          />
        </Setting>
        <Setting keys={["contribute_trusted_at"]} {...{ form, draft }}>
          <NumberInput
            label="Verified pull requests to become trusted"
            description="0: only an admin promotes."
            allowDecimal={false}
            value={draft.contribute_trusted_at}
            error={faults.contribute_trusted_at}
            onChange={(value) => change({ contribute_trusted_at: Number(value) })}
          />
        </Setting>
      </div>
      <Setting keys={["contribute_delegatable_roles"]} words="roles scanner quality outreach" {...{ form, draft }}>
        <Checkbox.Group
          label="Roles that relays may ask for"
          description="sec-check, ci-maintainer and architect need a grant to the person as well."
          value={[...draft.contribute_delegatable_roles]}
          onChange={(chosen) =>
            change({ contribute_delegatable_roles: delegatableRoles.filter((role) => chosen.includes(role)) })
          }
        >
          <div className="checks">
            {delegatableRoles.map((role) => (
              <Checkbox key={role} value={role} label={role} />
            ))}
          </div>
        </Checkbox.Group>
      </Setting>
    </SettingsSection>
  );
}

/** One tier: whether it is given work, and its limits. */
function TierRow({ tier, form: { change }, draft }: SectionProps & { readonly tier: WorkingTier }) {
  const off = draft.disabled_tiers;
  return (
    <fieldset className="tier">
      <legend>{tier}</legend>
      <Switch
        label={off.includes(tier) ? "Off" : "On"}
        aria-label={`${off.includes(tier) ? "Off" : "On"}: tier ${tier} is given work`}
        checked={!off.includes(tier)}
        onChange={(event) =>
          change({
            disabled_tiers: event.currentTarget.checked ? off.filter((one) => one !== tier) : [...off, tier],
          })
        }
      />
      {limits.map(([name, label]) => (
        <NumberInput
          key={name}
          label={label}
          aria-label={`${tier}, ${label.toLowerCase()}`}
          allowDecimal={false}
          min={0}
          value={draft.tier_limits[tier][name]}
          onChange={(value) =>
            change({
              tier_limits: {
                ...draft.tier_limits,
                [tier]: { ...draft.tier_limits[tier], [name]: Number(value) },
              },
            })
          }
        />
      ))}
    </fieldset>
  );
}
