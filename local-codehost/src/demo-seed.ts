import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Seed, SeedIssue, SeedRepository } from "./seed.ts";

/** The organisation of the demo's repositories. */
export const DEMO_ORG = "meadow";
/** The hub's own token on the demo's code host; it opens nothing anywhere else. */
export const DEMO_HUB_TOKEN = "ghp_demo_hub_0000000000000000000000000000";
/** Contributors of the demo, with a token each. */
export const DEMO_CONTRIBUTORS = [
  { login: "ada-fern", token: "ghp_demo_ada_0000000000000000000000000000" },
  { login: "ben-alder", token: "ghp_demo_ben_0000000000000000000000000000" },
  { login: "cleo-birch", token: "ghp_demo_cleo_000000000000000000000000000" },
  { login: "dan-rowan", token: "ghp_demo_dan_0000000000000000000000000000" },
] as const;

const REPOSITORIES = [
  { name: "tide-clock", description: "When is the next high tide?" },
  { name: "seed-catalog", description: "The seed list of a small nursery, searchable" },
  { name: "trail-notes", description: "Notes on walks around the bay" },
] as const;
/** The repository that the demo's nest looks after with agents of its own; the hub does not serve it. */
const NEST_REPOSITORY = {
  name: "harbour-log",
  description: "What comes into the harbour, and when it leaves",
} as const;
/** `owner/name` of the repositories that the demo's hub serves. */
export const DEMO_REPOSITORIES: readonly string[] = REPOSITORIES.map(({ name }) => `${DEMO_ORG}/${name}`);
export const DEMO_NEST_REPOSITORY = `${DEMO_ORG}/${NEST_REPOSITORY.name}`;

const FOLDER = join(import.meta.dirname, "..", "demo-repos");

/** Four small repositories with about fifty issues, read from the folder `demo-repos`. */
export async function demoSeed(): Promise<Seed> {
  return {
    organisations: [DEMO_ORG],
    tokens: {
      [DEMO_HUB_TOKEN]: "meadow-nest",
      ...Object.fromEntries(DEMO_CONTRIBUTORS.map(({ login, token }) => [token, login])),
    },
    repositories: await Promise.all(
      [...REPOSITORIES, NEST_REPOSITORY].map(({ name, description }) => demoRepository(name, description)),
    ),
  };
}

async function demoRepository(name: string, description: string): Promise<SeedRepository> {
  const folder = join(FOLDER, name);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = await Promise.all(
    paths.sort().map(async (path) => [relative(folder, path), await readFile(path, "utf8")] as const),
  );
  const issues = readIssues(await readFile(join(FOLDER, `${name}.issues.md`), "utf8"));
  return { owner: DEMO_ORG, name, description, files: Object.fromEntries(files), issues };
}

/** Issues out of one text: each begins with a heading, then come `author:` and `labels:`, then its body. */
function readIssues(text: string): SeedIssue[] {
  const blocks = text.split(/^# (?=.*\n\nauthor: )/m).slice(1);
  return blocks.map((block) => {
    const [title = "", , author = "", labels = "", ...body] = block.split("\n");
    return {
      title,
      author: author.replace(/^author: /, ""),
      labels: labels.replace(/^labels: /, "").split(", "),
      body: body.join("\n").trim(),
    };
  });
}
