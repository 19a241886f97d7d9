import { plainLine, plainText } from "@nest/kit";
import { Bead, beadLimits, beadStatuses, beadTypes, isFinished } from "@nest/protocol";
import { z } from "zod";

const text = z.string().nullish();

/** What is read of one entry, of ours and of an issue of the beads project alike; everything else is left alone. */
const Entry = z.object({
  _type: text,
  id: z.string(),
  title: z.string(),
  type: text,
  issue_type: text,
  status: text,
  priority: z.number().nullish(),
  actor: text,
  assignee: text,
  created_by: text,
  external_ref: text,
  metadata: z.record(z.string(), z.json()).nullish().catch(undefined),
  notes: text,
  created_at: text,
  updated_at: text,
  closed_at: text,
  deleted_at: text,
  is_template: z.boolean().nullish(),
  depends_on: z.array(z.string()).nullish(),
  dependencies: z.array(z.object({ depends_on_id: z.string(), type: text })).nullish(),
});
type Entry = z.infer<typeof Entry>;

/** Fields of the beads project's issues that a bead has no place for: they stay in `metadata.beads` and go out again with an export. */
export const carriedFields = [
  "description",
  "design",
  "acceptance_criteria",
  "labels",
  "comments",
  "estimated_minutes",
  "close_reason",
] as const;

/** What the beads project calls a status that we do not have. */
const STATUSES: Readonly<Record<string, Bead["status"]>> = {
  deferred: "blocked",
  pinned: "in_progress",
  hooked: "in_progress",
};
/** Kinds of dependencies that the beads project lets work go on with. */
const WITHOUT_WAITING = new Set([
  "related",
  "relates-to",
  "parent-child",
  "discovered-from",
  "duplicates",
  "supersedes",
  "replies-to",
]);

/** What says that an entry is to be left out, whatever else is in it. */
const Mark = z.object({ _type: text, status: text, deleted_at: text, is_template: z.boolean().nullish() });
/** What an export of ours leaves in the metadata of what the beads project has no word for. */
const Own = z.object({ type: z.enum(beadTypes).optional(), status: z.enum(beadStatuses).optional() });

/** The bead of one imported entry; why it is none; undefined when it is one to leave out (deleted, a template, a memory). */
export function beadOf(value: unknown, now: string): Bead | { readonly refused: string } | undefined {
  const mark = Mark.safeParse(value).data;
  if (mark !== undefined && (mark.status === "tombstone" || mark.deleted_at || mark.is_template)) return undefined;
  if (mark?._type && mark._type !== "issue") return undefined;
  const read = Entry.safeParse(value);
  if (!read.success) return { refused: whatIsWrong(read.error) };
  const bead = Bead.safeParse(translated(read.data, value as Readonly<Record<string, unknown>>, now));
  return bead.success ? bead.data : { refused: whatIsWrong(bead.error) };
}

function translated(entry: Entry, whole: Readonly<Record<string, unknown>>, now: string): Bead {
  const { nest, ...metadata } = entry.metadata ?? {};
  const ours = Own.safeParse(nest).data;
  const status = ours?.status ?? statusOf(entry.status ?? "open");
  const created = instant(entry.created_at) ?? now;
  const updated = instant(entry.updated_at) ?? created;
  const external = plainLine(entry.external_ref ?? "");
  const carried = carriedOf(whole, ours?.type);
  const kept = keep(metadata, carried, plainText(entry.notes ?? ""));
  return {
    id: entry.id,
    title: plainLine(entry.title).slice(0, beadLimits.titleCharacters),
    type: ours?.type ?? beadTypes.find((type) => type === (entry.type ?? entry.issue_type)) ?? "task",
    status,
    priority: Math.min(4, Math.max(0, Math.round(entry.priority ?? 2))),
    actor: plainLine(entry.actor ?? entry.assignee ?? entry.created_by ?? "").slice(0, 200),
    ...(external === "" ? {} : { external_ref: external }),
    ...kept,
    created_at: created,
    updated_at: updated,
    ...(isFinished(status) ? { closed_at: instant(entry.closed_at) ?? updated } : {}),
    depends_on: dependenciesOf(entry),
  };
}

/** What a bead has no place for; without the label that an export of ours made of a type. */
function carriedOf(whole: Readonly<Record<string, unknown>>, ownType: string | undefined): Record<string, unknown> {
  const { labels } = whole;
  const theirs = Array.isArray(labels) ? labels.filter((label) => label !== ownType) : [];
  const given: Readonly<Record<string, unknown>> = { ...whole, labels: theirs.length === 0 ? undefined : theirs };
  return Object.fromEntries(carriedFields.flatMap((name) => (given[name] ? [[name, given[name]]] : [])));
}

/** Fields without a place go into the metadata while they fit there, else their texts go into the notes. */
function keep(metadata: Bead["metadata"], carried: object, notes: string): Pick<Bead, "metadata" | "notes"> {
  if (Object.keys(carried).length === 0) return { metadata, notes };
  const together = { ...metadata, beads: carried as Bead["metadata"][string] };
  if (JSON.stringify(together).length <= beadLimits.metadataCharacters) return { metadata: together, notes };
  const texts = Object.values(carried).filter((value): value is string => typeof value === "string");
  const all = [...texts.map(plainText), notes].filter((one) => one !== "").join("\n\n");
  return { metadata, notes: all.slice(0, beadLimits.notesCharacters) };
}

function dependenciesOf({ id, depends_on, dependencies }: Entry): string[] {
  const theirs = (dependencies ?? []).filter(({ type }) => !WITHOUT_WAITING.has(type ?? "blocks"));
  const all = [...(depends_on ?? []), ...theirs.map(({ depends_on_id }) => depends_on_id)];
  return [...new Set(all)].filter((other) => other !== id);
}

function statusOf(status: string): Bead["status"] {
  return beadStatuses.find((one) => one === status) ?? STATUSES[status] ?? "open";
}

function instant(time: string | null | undefined): string | undefined {
  const ms = Date.parse(time ?? "");
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

function whatIsWrong({ issues }: z.ZodError): string {
  const [issue] = issues;
  return issue === undefined ? "not a bead" : `${issue.path.map(String).join(".") || "entry"}: ${issue.message}`;
}
