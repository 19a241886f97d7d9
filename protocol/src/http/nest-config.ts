import { z } from "zod";
import { route } from "./route.ts";

/** Where a value of the configuration comes from, weakest first. */
export const configLayers = ["default", "seed", "dashboard", "environment"] as const;
export type ConfigLayer = (typeof configLayers)[number];

/** One value of the configuration in force. A secret's value is `[secret]`. */
export const ProvenanceRow = z.object({
  /** The key with dots: `governor.eval_interval_s`. */
  key: z.string(),
  value: z.unknown(),
  layer: z.enum(configLayers),
  /** The file or the variable that it was read from. */
  source: z.string().optional(),
  /** Who saved it and when, for what was saved in the dashboard. */
  by: z.string().optional(),
  at: z.string().optional(),
  /** The layers that say something else and lose, strongest first: why an edit there has no effect. */
  hidden: z.array(z.object({ layer: z.enum(configLayers), value: z.unknown() })),
  /** What the running nest still works with, where that differs until a restart. */
  running: z.unknown().optional(),
  /** The key is none that this release knows: it is kept and has no effect. */
  unknown: z.literal(true).optional(),
});
export type ProvenanceRow = z.infer<typeof ProvenanceRow>;

/** A file that is not used, or not as it is now, and why: a broken one, an overlay of another project, an edit that does not count. */
export const RejectedFile = z.object({ file: z.string(), reason: z.string() });
export type RejectedFile = z.infer<typeof RejectedFile>;

export const Provenance = z.object({
  rows: z.array(ProvenanceRow),
  rejected: z.array(RejectedFile),
  /** Keys whose change needs a restart. */
  restart_needed: z.array(z.string()),
});
export type Provenance = z.infer<typeof Provenance>;

export const provenance = route({
  method: "GET",
  path: "/api/config/provenance",
  summary: "Which layer gave each value of the configuration, who saved it, and which edits have no effect",
  access: "owner",
  reply: Provenance,
});

/** `nest.yaml` as JSON, in force, secrets taken out: a key that holds one reads `[secret]`. */
export const ConfigView = z.object({
  config: z.record(z.string(), z.unknown()),
  /** Names this state of the overlay; a save that names an older one is refused with 409. */
  revision: z.string(),
  restart_needed: z.array(z.string()),
  /** Names in it that nobody has, each a sentence: a backend that there is not, an interval of an agent that there is not. */
  warnings: z.array(z.string()).optional(),
  /** Why nothing can be saved now: a folder that can only be read. */
  read_only: z.string().optional(),
});
export type ConfigView = z.infer<typeof ConfigView>;

export const readConfig = route({
  method: "GET",
  path: "/api/config",
  summary: "The configuration in force, without secrets",
  access: "owner",
  reply: ConfigView,
});

export const saveConfig = route({
  method: "PUT",
  path: "/api/config",
  summary:
    "Change keys of nest.yaml: a part of it, merged into the overlay; null takes a key back to what the seed says",
  access: "owner",
  bodyLimit: 1024 * 1024,
  query: z.strictObject({
    /** The revision that was read; without it the save does not look for conflicts. */
    revision: z.string().max(100).optional(),
  }),
  body: z.record(z.string(), z.unknown()),
  reply: ConfigView.extend({ ok: z.literal(true), changed: z.array(z.string()) }),
});

export const setAuthorizedUsers = route({
  method: "PUT",
  path: "/api/config/authorized-users",
  summary: "Who may sign in, each `<login>:<role>`; written to the overlay at once",
  access: "owner",
  body: z.strictObject({ users: z.array(z.string().max(120)).max(500) }),
  reply: z.object({ ok: z.literal(true), users: z.array(z.string()), takes_effect: z.enum(["now", "restart"]) }),
});

export const restartNest = route({
  method: "POST",
  path: "/api/restart",
  summary: "Restart this nest's program: agents end, the configuration is read anew",
  access: "owner",
  reply: z.object({ ok: z.literal(true) }),
});
