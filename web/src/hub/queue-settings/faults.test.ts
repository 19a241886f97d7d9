import { expect, test } from "vitest";
import { beginDraft, edit } from "../../shared/drafts/draft.ts";
import { faultOfAnswer, faultsOf, type Settings } from "./faults.ts";

const none = { max_per_hour: 0, max_per_day: 0, max_concurrent: 0 };
const base: Settings = {
  contribute_suspended: false,
  disabled_repos: [],
  contribute_labels_mode: "deny",
  contribute_deny_labels: [],
  contribute_titles_mode: "deny",
  contribute_deny_titles: ["a"],
  contribute_authors_mode: "deny",
  contribute_deny_authors: [],
  contribute_skip_assigned_to_others: false,
  contribute_skip_trackers: true,
  contribute_allow_models: [],
  contribute_reject_unknown_models: false,
  disabled_tiers: [],
  tier_limits: { newcomer: none, contributor: none, trusted: none, merger: none, advisor: none },
  contribute_contributor_at: 5,
  contribute_trusted_at: 20,
  open_registration: false,
  contribute_announcement: "",
  contribute_cooldown_enabled: true,
  contribute_cooldown_hours: 168,
  contribute_claim_stale_hours: 72,
  contribute_delegatable_roles: [],
  contribute_allow_labels: [],
};

test("what the hub would refuse is said beside its field", () => {
  expect(faultsOf(edit(beginDraft(base, ""), { contribute_announcement: "x".repeat(501) }))).toEqual({
    contribute_announcement: "longer than 500 characters",
  });
  expect(faultsOf(edit(beginDraft(base, ""), { disabled_repos: ["fine", "not fine"] })).disabled_repos).toMatch(
    /^line 2: not owner/,
  );
});

test("what the hub did refuse is put beside its field too", () => {
  expect(faultOfAnswer("contribute_deny_titles[1]: missing )", base)).toEqual({
    contribute_deny_titles: "line 2: missing )",
  });
  expect(faultOfAnswer("somebody changed it", base)).toBeUndefined();
});
