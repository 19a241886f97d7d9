import { z } from "zod";
import { Bead, BeadId, beadStatuses, beadTypes } from "./beads.ts";

/** Names a line for good: its writer finds it again by this, and a change of dependencies names the one before it. */
const LineName = z.string().regex(/^[0-9a-f]{16}$/);
const base = { n: LineName, at: z.iso.datetime({ offset: true }), by: z.string().max(200) };
const ids = z.array(BeadId).max(200);

/** The file name of a log: its generation and, but for the first, the name of the line that ended the log before it. */
export const LogName = z.string().regex(/^log-\d{8}(?:-[0-9a-f]{16})?\.jsonl$/);

/**
 * A line of a ledger's log (docs/ledger.md). What a line does depends on the lines before it alone: every reader comes to the
 * same beads.
 */
export const LedgerLine = z.discriminatedUnion("op", [
  z.object({ op: z.literal("create"), ...base, bead: Bead }),
  z.object({
    op: z.literal("change"),
    ...base,
    id: BeadId,
    set: z
      .object({
        title: z.string().min(1).max(500),
        type: z.enum(beadTypes),
        status: z.enum(beadStatuses),
        priority: z.number().int().min(0).max(4),
        actor: z.string().max(200),
        external_ref: z.string().max(500),
        metadata: z.record(z.string(), z.json()),
        notes: z.string(),
      })
      .partial(),
    /** It counts only while the bead has one of these; so two agents cannot both take one bead. */
    if_status: z.array(z.enum(beadStatuses)).optional(),
  }),
  z.object({ op: z.literal("note"), ...base, id: BeadId, text: z.string() }),
  /** It counts only when `after` is the last line that changed dependencies: so no two writers close a circle together. */
  z.object({ op: z.literal("depend"), ...base, id: BeadId, add: ids, remove: ids, after: z.string().max(16) }),
  z.object({ op: z.literal("put"), ...base, bead: Bead, after: z.string().max(16) }),
  /** Nothing after it counts; the log goes on in the file that it names. */
  z.object({ op: z.literal("seal"), ...base, next: LogName }),
]);
export type LedgerLine = z.infer<typeof LedgerLine>;

/** The head of a snapshot: it is whole when its parts have that many beads. */
export const SnapshotHead = z.object({
  op: z.literal("snapshot"),
  version: z.literal(1),
  /** The log that begins where the snapshot ends. */
  log: LogName,
  parts: z.number().int().min(0).max(999),
  beads: z.number().int().min(0),
  /** The last line that changed dependencies. */
  depend_tip: z.string().max(16),
});
export type SnapshotHead = z.infer<typeof SnapshotHead>;
