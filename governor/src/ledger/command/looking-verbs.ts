import { UsageError } from "@nest/kit";
import { BeadFilter } from "@nest/protocol";
import type { z } from "zod";
import { beadLine, beadPage } from "./print.ts";
import { verb } from "./verb.ts";

const MOST_SHOWN = 500;

/** The verbs that read a ledger. */
export const lookingVerbs = {
  ready: verb({
    summary: "what can be begun now: open, and waiting for nothing; the most urgent first, then the oldest",
    usage: `[-limit N]

  -limit N   how many at most (default 20)

Take the first one before you begin, so that nobody else does:
  nest beads update ID -status in_progress -if-status open`,
    flags: { limit: "number" },
    reads: true,
    run: async ({ ledger, flags }) => {
      const { beads, total } = ledger.ready(limitOf(flags.limit, 20));
      const more = total > beads.length ? [`${total - beads.length} more are ready`] : [];
      return {
        json: { beads, total },
        lines: [...beads.map(beadLine), ...(total === 0 ? ["nothing is ready"] : more)],
      };
    },
  }),
  list: verb({
    summary: "the beads, newest first",
    usage: `[flags]

  -status S,…     open, in_progress, blocked, done, closed
  -type T,…       bug, feature, task, epic, chore, decision, advisory
  -priority N     0 (most urgent) to 4
  -actor NAME     who works on it
  -ref REF        the external reference, as acme/shop#12
  -text WORDS     part of the title or the notes
  -limit N        how many at most (default 50)
  -cursor C       goes on where the page before ended; it named C`,
    flags: {
      status: "text",
      type: "text",
      priority: "number",
      actor: "text",
      ref: "text",
      text: "text",
      limit: "number",
      cursor: "text",
    },
    reads: true,
    run: async ({ ledger, flags }) => {
      const { cursor } = flags;
      if (cursor !== undefined && !/^\d{1,15}\..+$/.test(cursor))
        throw new UsageError("flag -cursor takes what a list named");
      const page = ledger.list(filterOf(flags), {
        limit: limitOf(flags.limit, 50),
        ...(cursor === undefined ? {} : { cursor }),
      });
      const next = page.next === undefined ? [] : [`more: nest beads list -cursor ${page.next}`];
      const none = page.beads.length === 0 ? ["no beads"] : [];
      return { json: page, lines: [...page.beads.map(beadLine), ...next, ...none] };
    },
  }),
  show: verb({
    summary: "everything of some beads, with what they wait for and who waits for them",
    usage: "ID …",
    flags: {},
    reads: true,
    run: async ({ ledger, words }) => {
      if (words.length === 0) throw new UsageError("which bead? give its id");
      const shown = words.map((id) => ({ bead: ledger.show(id), waits: ledger.waits(id) }));
      const json = shown.map(({ bead, waits }) => ({ ...bead, waits_for: waits.for, waited_for_by: waits.by }));
      return {
        json: json.length === 1 ? json[0] : json,
        lines: shown.flatMap(({ bead, waits }, at) => [...(at === 0 ? [] : [""]), ...beadPage(bead, waits)]),
      };
    },
  }),
  export: verb({
    summary: "prints the ledger as the issues.jsonl of the beads project",
    usage: `

One JSON object a line on standard output; nest beads import takes it in again.`,
    flags: {},
    reads: true,
    run: async ({ ledger }) => ({ json: undefined, lines: withoutLineFeeds(ledger.export()) }),
  }),
};

function* withoutLineFeeds(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield line.trimEnd();
}

function limitOf(limit: number | undefined, usual: number): number {
  if (limit === undefined) return usual;
  if (limit < 1 || limit > MOST_SHOWN) throw new UsageError(`flag -limit takes 1 to ${MOST_SHOWN}`);
  return limit;
}

function filterOf(flags: {
  readonly status?: string;
  readonly type?: string;
  readonly priority?: number;
  readonly actor?: string;
  readonly ref?: string;
  readonly text?: string;
}): z.infer<typeof BeadFilter> {
  const { status, type, ref, priority, actor, text } = flags;
  const given = {
    status: status?.split(","),
    type: type?.split(","),
    external_ref: ref,
    priority,
    actor,
    text,
  };
  const checked = BeadFilter.safeParse(
    Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  );
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw new UsageError(`flag -${String(issue?.path[0])}: ${issue?.message}`);
}
