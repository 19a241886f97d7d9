import { z } from "zod";
import { delegatableRoles } from "../roles.ts";
import { defaultTierLimits } from "../tiers.ts";
import { route } from "./route.ts";

/** Tiers that an admin can switch off or limit; nobody works as `revoked`. */
const workingTiers = ["newcomer", "contributor", "trusted", "merger", "advisor"] as const;

const mode = z.enum(["deny", "allow"]);
const names = z.array(z.string().max(200, "longer than 200 characters"));
const count = z.number().int().min(0).max(1_000_000);
const repos = z
  .array(
    z
      .string()
      .regex(/^(?!\.+(?:\/|$))(?:[A-Za-z0-9._-]{1,100}\/)?[A-Za-z0-9._-]{1,100}$/, "not owner/name and not a name"),
  )
  .max(2000, "more than 2000 repositories");

const TierLimitsChange = z.strictObject({
  max_per_hour: count.optional(),
  max_per_day: count.optional(),
  max_concurrent: count.optional(),
});

/** Every key of the queue configuration, in one flat object. Saving checks the lists of patterns further. */
const keys = {
  contribute_suspended: z.boolean(),
  disabled_repos: repos,
  contribute_labels_mode: mode,
  contribute_deny_labels: names,
  contribute_titles_mode: mode,
  contribute_deny_titles: names,
  contribute_authors_mode: mode,
  contribute_deny_authors: names,
  contribute_skip_assigned_to_others: z.boolean(),
  contribute_skip_trackers: z.boolean(),
  contribute_allow_models: names,
  contribute_reject_unknown_models: z.boolean(),
  disabled_tiers: z.array(z.enum(workingTiers)).max(workingTiers.length),
  tier_limits: z.partialRecord(z.enum(workingTiers), TierLimitsChange),
  /** How many verified pull requests promote a contributor; 0 = only an admin promotes. */
  contribute_contributor_at: count,
  contribute_trusted_at: count,
  open_registration: z.boolean(),
  /** Shown on the public page and told to every relay; empty = none. */
  contribute_announcement: z.string().max(500, "longer than 500 characters"),
  /** When off, a completed issue waits only until its pull request is seen, not for the whole hold. */
  contribute_cooldown_enabled: z.boolean(),
  contribute_cooldown_hours: z.number().int().min(1).max(8760),
  /** A pull request that fails a required check stops claiming its issue when it has not changed for this long. */
  contribute_claim_stale_hours: z.number().int().min(1).max(8760),
  contribute_delegatable_roles: z.array(z.enum(delegatableRoles)).max(delegatableRoles.length),
};

const TierLimitsWhole = z.object({ max_per_hour: count, max_per_day: count, max_concurrent: count });

/** The queue configuration in force. */
export const GovernorSettings = z.object({
  ...keys,
  tier_limits: z.record(z.enum(workingTiers), TierLimitsWhole),
  /** Legacy; moved once into `contribute_labels_mode` and `contribute_deny_labels`, and empty from then on. */
  contribute_allow_labels: names,
});
export type GovernorSettings = z.infer<typeof GovernorSettings>;

/** The defaults, for keys that neither `nest.yaml` nor an admin set. */
export const defaultSettings: GovernorSettings = {
  contribute_suspended: false,
  disabled_repos: [],
  contribute_labels_mode: "deny",
  contribute_deny_labels: [],
  contribute_allow_labels: [],
  contribute_titles_mode: "deny",
  contribute_deny_titles: ["*dependency dashboard*", "*renovate dashboard*", "epic:*", "epic(*"],
  contribute_authors_mode: "deny",
  contribute_deny_authors: ["renovate[bot]", "dependabot[bot]", "mergeraptor[bot]"],
  contribute_skip_assigned_to_others: false,
  contribute_skip_trackers: true,
  contribute_allow_models: [],
  contribute_reject_unknown_models: false,
  disabled_tiers: [],
  tier_limits: { ...defaultTierLimits },
  contribute_contributor_at: 5,
  contribute_trusted_at: 20,
  open_registration: false,
  contribute_announcement: "",
  contribute_cooldown_enabled: true,
  contribute_cooldown_hours: 168,
  contribute_claim_stale_hours: 72,
  contribute_delegatable_roles: ["scanner", "quality", "outreach"],
};

/** A change: absent keys keep their value, unknown keys are refused, and it is applied whole or not at all. */
export const GovernorChange = z.strictObject({ ...keys, contribute_allow_labels: names }).partial();
export type GovernorChange = z.infer<typeof GovernorChange>;

export const governor = route({
  method: "GET",
  path: "/api/config/governor/hub",
  summary: "The queue configuration in force; ETag names its state",
  access: "admin",
  scope: "read",
  reply: GovernorSettings,
});

export const changeGovernor = route({
  method: "PUT",
  path: "/api/config/governor/hub",
  summary:
    "Change the queue configuration: absent keys stay, unknown ones are refused, all or nothing; with If-Match only if nobody changed it meanwhile",
  access: "admin",
  scope: "configure",
  bodyLimit: 512 * 1024,
  body: GovernorChange,
  reply: z.object({ status: z.literal("updated") }),
});

/** What a change would do to the queue as it is now. */
export const ImpactReply = z.object({
  /** How many issues are on offer now and would be after the change; which ones leave and join. Absent while a pattern is faulty. */
  offered: z
    .object({
      before: z.number().int(),
      after: z.number().int(),
      leaving: z.number().int(),
      joining: z.number().int(),
    })
    .optional(),
  /** Patterns that could not be saved, and why. */
  faults: z.array(z.object({ key: z.string(), index: z.number().int(), pattern: z.string(), because: z.string() })),
});
export type ImpactReply = z.infer<typeof ImpactReply>;

export const previewImpact = route({
  method: "POST",
  path: "/api/config/governor/impact",
  summary:
    "How many issues would leave the queue and how many come on offer if this change were saved; nothing is saved",
  access: "admin",
  scope: "read",
  bodyLimit: 512 * 1024,
  body: GovernorChange,
  reply: ImpactReply,
});

/** Keys that hold patterns, in the order in which they are applied to an issue. */
export const patternKeys = [
  "contribute_deny_labels",
  "contribute_deny_titles",
  "contribute_deny_authors",
  "contribute_allow_models",
] as const;
export type PatternKey = (typeof patternKeys)[number];

export const PreviewReply = z.object({
  key: z.enum(patternKeys),
  /** How many queued issues (connected models, for the model list) there are, and how many match. */
  of: z.number().int(),
  matched: z.number().int(),
  /** The first hundred. */
  matches: z.array(
    z.object({ subject: z.string(), pattern: z.string(), key: z.string().optional(), title: z.string().optional() }),
  ),
  /** Patterns that could not be saved, and why. */
  faults: z.array(z.object({ index: z.number().int(), pattern: z.string(), because: z.string() })),
});
export type PreviewReply = z.infer<typeof PreviewReply>;

export const previewPatterns = route({
  method: "POST",
  path: "/api/config/governor/preview",
  summary: "Which queued issues, or models of connected relays, a list of patterns would match; nothing is saved",
  access: "admin",
  scope: "read",
  bodyLimit: 512 * 1024,
  body: z.strictObject({ key: z.enum(patternKeys), patterns: z.array(z.string()) }),
  reply: PreviewReply,
});
