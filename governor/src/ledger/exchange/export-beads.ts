import type { Bead } from "@nest/protocol";
import { carriedFields } from "./bead-of-issue.ts";

/** Types that the beads project does not know: they go out as tasks with a label, and come in again as what they were. */
const OWN_TYPES: readonly string[] = ["decision", "advisory"];

/** One line for each bead, as the beads project's `issues.jsonl` has it, in the order of the ids. */
export function* exportBeads(beads: Iterable<Bead>): Generator<string> {
  const all = [...beads].sort((one, other) => (one.id < other.id ? -1 : 1));
  for (const bead of all) yield `${JSON.stringify(issueOf(bead))}\n`;
}

function issueOf(bead: Bead): object {
  const { beads, ...metadata } = bead.metadata;
  const carried = carriedOf(beads);
  const isOwnType = OWN_TYPES.includes(bead.type);
  const isDone = bead.status === "done";
  const own = { ...(isOwnType ? { type: bead.type } : {}), ...(isDone ? { status: bead.status } : {}) };
  const all = Object.keys(own).length === 0 ? metadata : { ...metadata, nest: own };
  const labels = isOwnType ? { labels: labelsWith(carried.labels, bead.type) } : {};
  return {
    id: bead.id,
    title: bead.title,
    description: "",
    ...carried,
    ...labels,
    ...(bead.notes === "" ? {} : { notes: bead.notes }),
    status: isDone ? "closed" : bead.status,
    priority: bead.priority,
    issue_type: isOwnType ? "task" : bead.type,
    ...(bead.actor === "" ? {} : { assignee: bead.actor }),
    created_at: bead.created_at,
    updated_at: bead.updated_at,
    ...(bead.closed_at === undefined ? {} : { closed_at: bead.closed_at }),
    ...(bead.external_ref === undefined ? {} : { external_ref: bead.external_ref }),
    ...(Object.keys(all).length === 0 ? {} : { metadata: all }),
    ...(bead.depends_on.length === 0 ? {} : { dependencies: dependenciesOf(bead) }),
  };
}

function carriedOf(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null) return {};
  const given = value as Record<string, unknown>;
  return Object.fromEntries(carriedFields.flatMap((name) => (Object.hasOwn(given, name) ? [[name, given[name]]] : [])));
}

function labelsWith(labels: unknown, type: string): unknown[] {
  const given: unknown[] = Array.isArray(labels) ? labels : [];
  return given.includes(type) ? given : [...given, type];
}

function dependenciesOf({ id, depends_on, created_at, actor }: Bead): object[] {
  return depends_on.map((depends_on_id) => ({
    issue_id: id,
    depends_on_id,
    type: "blocks",
    created_at,
    created_by: actor,
  }));
}
