import { readFile } from "node:fs/promises";
import { NestError, UsageError } from "@nest/kit";
import { type Bead, type BeadChange, type BeadDraft, beadStatuses } from "@nest/protocol";
import { beadLine } from "./print.ts";
import { type VerbAnswer, verb } from "./verb.ts";

const FIELDS = `  -type T            bug, feature, task, epic, chore, decision, advisory
  -priority N        0 (most urgent) to 4
  -status S          open, in_progress, blocked, done, closed
  -notes TEXT        - reads it from standard input
  -actor NAME        who works on it
  -ref REF           what it is elsewhere, as acme/shop#12
  -metadata JSON     an object of your own`;

const fieldFlags = {
  type: "text",
  priority: "number",
  status: "text",
  notes: "text",
  actor: "text",
  ref: "text",
  metadata: "text",
} as const;

interface FieldFlags {
  readonly type?: string;
  readonly priority?: number;
  readonly status?: string;
  readonly notes?: string;
  readonly actor?: string;
  readonly ref?: string;
  readonly metadata?: string;
}

/** The verbs that change a ledger. */
export const writingVerbs = {
  create: verb({
    summary: "writes a bead down",
    usage: `TITLE [flags]

${FIELDS}
  -depends-on ID,…   what has to be done before

  nest beads create "the login test fails on Mondays" -type bug -priority 1 -ref acme/shop#12`,
    flags: { ...fieldFlags, "depends-on": "text" },
    run: async ({ ledger, flags, words, input }) => {
      const depends_on = flags["depends-on"]?.split(",") ?? [];
      const draft = { title: theOnly(words, "title"), ...(await fieldsOf(flags, input)), depends_on };
      return one(await ledger.create(draft as BeadDraft));
    },
  }),
  update: verb({
    summary: "changes a bead; what is not named stays",
    usage: `ID [flags]

  -title TEXT
${FIELDS}
  -if-status S,…     only while it is in one of these: so one agent alone takes it

  nest beads update ID -status in_progress -if-status open`,
    flags: { title: "text", ...fieldFlags, "if-status": "text" },
    run: async ({ ledger, flags, words, input }) => {
      const { title } = flags;
      const change = { ...(title === undefined ? {} : { title }), ...(await fieldsOf(flags, input)) };
      if (Object.keys(change).length === 0)
        throw new UsageError("nothing to change: say what, as -status or -priority");
      const ifStatus = flags["if-status"]?.split(",").map(statusNamed);
      return one(await ledger.update(theOnly(words, "id"), change as BeadChange, ifStatus));
    },
  }),
  close: verb({
    summary: "says that nothing is left to do; what waited for it becomes ready",
    usage: `ID … [-because TEXT]

  -because TEXT   why, at the end of its notes`,
    flags: { because: "text" },
    run: async ({ ledger, flags, words }) => {
      if (words.length === 0) throw new UsageError("which bead? give its id");
      return several(words, (id) => ledger.close(id, flags.because));
    },
  }),
  reset: verb({
    summary: "puts beads back to open, closed ones too",
    usage: `ID … | -in-progress

  -in-progress   all that are in progress: after an agent was ended in the middle of its work`,
    flags: { "in-progress": "switch" },
    run: async ({ ledger, flags, words }) => {
      const all = flags["in-progress"] === true;
      if (all === words.length > 0) throw new UsageError("which beads? give ids, or -in-progress");
      const ids = all ? allIn(ledger, "in_progress") : words;
      return several(ids, (id) => (all ? ledger.update(id, { status: "open" }, ["in_progress"]) : ledger.reset(id)));
    },
  }),
  remember: verb({
    summary: "notes something down: for a bead, or for good as an advisory",
    usage: `TEXT [-bead ID]

  -bead ID   adds it to this bead's notes
  TEXT       - reads it from standard input`,
    flags: { bead: "text" },
    run: async ({ ledger, flags, words, input }) => {
      const text = theOnly(words, "text");
      return one(await ledger.remember(text === "-" ? await input() : text, flags.bead));
    },
  }),
  dep: verb({
    summary: "makes a bead wait for others, or no longer",
    usage: `add ID OTHER …
       nest beads dep remove ID OTHER …

ID waits until each OTHER is done or closed. What would make them wait for each other is refused.`,
    flags: {},
    run: async ({ ledger, words }) => {
      const [act, id, ...others] = words;
      if ((act !== "add" && act !== "remove") || id === undefined || others.length === 0)
        throw new UsageError("say: dep add ID OTHER …, or dep remove ID OTHER …");
      return one(await ledger.depend(id, { [act]: others }));
    },
  }),
  import: verb({
    summary: "takes in a beads.json, or the issues.jsonl of the beads project",
    usage: `FILE

  FILE   - reads standard input

Beads that are here as new or newer stay as they are. Nothing is imported twice.`,
    flags: {},
    run: async ({ ledger, words, input }) => {
      const report = await ledger.import(await textOf(theOnly(words, "file"), input));
      const { created, updated, unchanged, refused, dropped } = report;
      return {
        json: report,
        lines: [
          `${created} came in, ${updated} were older here, ${unchanged} stay as they are`,
          ...refused.map(({ entry, because }) => `entry ${entry} is no bead: ${because}`),
          ...dropped.map(({ id, depends_on }) => `${id} does not wait for ${depends_on}: that would be a circle`),
        ],
      };
    },
  }),
  compact: verb({
    summary: "writes the ledger anew without its history; it does so by itself when that is worth it",
    usage: "",
    flags: {},
    run: async ({ ledger }) => {
      await ledger.compact();
      return { json: { beads: ledger.size }, lines: [`${ledger.size} beads`] };
    },
  }),
};

function one(bead: Bead): VerbAnswer {
  return { json: bead, lines: [beadLine(bead)] };
}

async function several(ids: readonly string[], act: (id: string) => Promise<Bead>): Promise<VerbAnswer> {
  const beads: Bead[] = [];
  for (const id of ids) beads.push(await act(id));
  return { json: beads.length === 1 ? beads[0] : beads, lines: beads.map(beadLine) };
}

function allIn(
  ledger: { list: typeof import("../ledger.ts").Ledger.prototype.list },
  status: Bead["status"],
): string[] {
  return ledger.list({ status: [status] }, { limit: 10_000 }).beads.map(({ id }) => id);
}

function theOnly(words: readonly string[], what: string): string {
  const [word, ...others] = words;
  if (word === undefined) throw new UsageError(`give the ${what}`);
  if (others.length > 0) throw new UsageError(`one ${what} only; put it between quotes`);
  return word;
}

function statusNamed(name: string): Bead["status"] {
  const status = beadStatuses.find((one) => one === name);
  if (status === undefined) throw new UsageError(`flag -if-status takes ${beadStatuses.join(", ")}`);
  return status;
}

async function fieldsOf(flags: FieldFlags, input: () => Promise<string>): Promise<Record<string, unknown>> {
  const { ref, metadata, notes, ...rest } = flags;
  const named = Object.entries(rest).filter(([name]) => ["type", "priority", "status", "actor"].includes(name));
  return {
    ...Object.fromEntries(named),
    ...(ref === undefined ? {} : { external_ref: ref }),
    ...(notes === undefined ? {} : { notes: notes === "-" ? await input() : notes }),
    ...(metadata === undefined ? {} : { metadata: jsonOf(metadata) }),
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError("flag -metadata takes a JSON object");
  }
}

async function textOf(file: string, input: () => Promise<string>): Promise<string> {
  if (file === "-") return input();
  try {
    return await readFile(file, "utf8");
  } catch (thrown) {
    throw new NestError("import_unreadable", `${file} cannot be read: ${(thrown as NodeJS.ErrnoException).code}`, {
      hint: "give the path of a beads.json or an issues.jsonl",
      cause: thrown,
    });
  }
}
