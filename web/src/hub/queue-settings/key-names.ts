import type { Key } from "./faults.ts";

/** A readable name for each key of the queue configuration. */
export const keyNames: Readonly<Record<Key, string>> = {
  contribute_suspended: "Handing out suspended",
  contribute_announcement: "Announcement",
  open_registration: "Registration without proof",
  disabled_repos: "Repositories switched off",
  contribute_labels_mode: "Label filter",
  contribute_deny_labels: "Labels",
  contribute_titles_mode: "Title filter",
  contribute_deny_titles: "Title patterns",
  contribute_authors_mode: "Author filter",
  contribute_deny_authors: "Author patterns",
  contribute_skip_assigned_to_others: "Leave out issues assigned to others",
  contribute_skip_trackers: "Leave out issues that only collect others",
  contribute_allow_models: "Accepted models",
  contribute_reject_unknown_models: "Reject other models at connect",
  disabled_tiers: "Tiers switched off",
  tier_limits: "Limits by tier",
  contribute_contributor_at: "Pull requests to become contributor",
  contribute_trusted_at: "Pull requests to become trusted",
  contribute_cooldown_enabled: "Completed issues wait",
  contribute_cooldown_hours: "Hours a completed issue waits",
  contribute_claim_stale_hours: "Hours until a red pull request claims nothing",
  contribute_delegatable_roles: "Roles that may be delegated",
  contribute_allow_labels: "Allowed labels (legacy)",
};

/** The sections of the page, in their order. */
export const settingsSections = [
  ["hand-out", "Handing out"],
  ["repositories", "Repositories"],
  ["filters", "Filters"],
  ["models", "Models"],
  ["tiers", "Trust tiers"],
] as const;
