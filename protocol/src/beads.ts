import { z } from "zod";

/** What a bead of the work ledger is about. An advisory or a decision is something to know rather than to do. */
export const beadTypes = ["bug", "feature", "task", "epic", "chore", "decision", "advisory"] as const;
export type BeadType = (typeof beadTypes)[number];

/** Where a bead stands. `done` says that the agent thinks so, `closed` that nothing is left to do; both let others go on. */
export const beadStatuses = ["open", "in_progress", "blocked", "done", "closed"] as const;
export type BeadStatus = (typeof beadStatuses)[number];

/** How much one ledger and one bead hold. What is over is refused when it is written and skipped when it is read. */
export const beadLimits = {
  titleCharacters: 500,
  notesCharacters: 64 * 1024,
  metadataCharacters: 16 * 1024,
  dependencies: 200,
  beads: 200_000,
  /** Of all texts of one ledger together. */
  ledgerCharacters: 64 * 1024 * 1024,
} as const;

const instant = z.iso.datetime({ offset: true });

/** A bead's name. Ours are `nest-` and ten letters and digits; imported beads keep theirs. */
export const BeadId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/, "not a bead's id");

const metadata = z
  .record(z.string().max(200), z.json())
  .refine((value) => JSON.stringify(value).length <= beadLimits.metadataCharacters, "metadata is too large");

const keys = {
  title: z.string().min(1, "empty").max(beadLimits.titleCharacters, "longer than 500 characters"),
  type: z.enum(beadTypes),
  status: z.enum(beadStatuses),
  /** 0 is the most urgent. */
  priority: z.number().int().min(0).max(4),
  /** Who works on it, or wrote it down. */
  actor: z.string().max(200),
  /** What it is elsewhere, as `acme/shop#12`. */
  external_ref: z.string().max(500),
  metadata,
  notes: z.string().max(beadLimits.notesCharacters),
};
const dependencies = z.array(BeadId).max(beadLimits.dependencies);

/** One entry of an agent's work ledger, as it is on disk, on the wire and in a command's `-json`. */
export const Bead = z.object({
  id: BeadId,
  ...keys,
  external_ref: keys.external_ref.optional(),
  created_at: instant,
  updated_at: instant,
  /** Present exactly while the status is `done` or `closed`. */
  closed_at: instant.optional(),
  depends_on: dependencies,
});
export type Bead = z.infer<typeof Bead>;

/** What somebody says who writes a bead down; the ledger adds the id and the times. */
export const BeadDraft = z.strictObject({
  title: keys.title,
  type: keys.type.default("task"),
  priority: keys.priority.default(2),
  status: keys.status.default("open"),
  actor: keys.actor.optional(),
  external_ref: keys.external_ref.optional(),
  metadata: keys.metadata.default({}),
  notes: keys.notes.default(""),
  depends_on: dependencies.default([]),
});
export type BeadDraft = z.input<typeof BeadDraft>;

/** A change of a bead: absent keys stay. An empty `external_ref` removes it. */
export const BeadChange = z.strictObject(keys).partial();
export type BeadChange = z.infer<typeof BeadChange>;

/** Which beads a list has. */
export const BeadFilter = z.strictObject({
  status: z.array(keys.status).optional(),
  type: z.array(keys.type).optional(),
  priority: keys.priority.optional(),
  actor: keys.actor.optional(),
  external_ref: keys.external_ref.optional(),
  /** Part of the title or the notes, whatever its case. */
  text: z.string().max(200).optional(),
});
export type BeadFilter = z.infer<typeof BeadFilter>;

/** Whether a bead in this status lets those go on that depend on it. */
export function isFinished(status: BeadStatus): boolean {
  return status === "done" || status === "closed";
}
