import { hostedStatuses, type nests } from "@nest/protocol";
import { spoken } from "../../shared/format/format.ts";

export type NestTone = "good" | "busy" | "quiet" | "warn" | "bad";

const statusTones: Readonly<Record<string, NestTone>> = {
  provisioning: "busy",
  running: "good",
  available: "quiet",
  error: "bad",
  paused: "quiet",
  deleting: "warn",
};

/** The colour of a status; a word of another release, and none, have the quiet one. */
export function toneOf(status: string): NestTone {
  return statusTones[status] ?? "quiet";
}

/** A status as people read it; a record written by hand may have none. */
export function statusWords(status: string): string {
  return status === "" ? "no status" : spoken(status);
}

/** Statuses with how many nests have them, in the order of a nest's life. */
export function statusCounts(byStatus: Readonly<Record<string, number>>): [status: string, total: number][] {
  const known: readonly string[] = hostedStatuses;
  const rank = (status: string) => (known.includes(status) ? known.indexOf(status) : known.length);
  return Object.entries(byStatus).sort(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b));
}

const underWay: Readonly<Record<string, string>> = {
  provision: "being made",
  claim: "being given to its owner",
  upgrade: "upgrading",
  pause: "pausing",
  resume: "resuming",
  migrate: "moving to another cluster",
  delete: "being deleted",
  repair: "being repaired",
};

/** What is under way on a nest, as people read it. */
export function operationWords(kind: string): string {
  return underWay[kind] ?? spoken(kind);
}

const steps: Readonly<Record<string, string>> = {
  storage: "Storage",
  namespace: "Namespace and service account",
  limits: "Limits, quota and network policy",
  roles: "Roles",
  volume: "Volume",
  config: "Configuration",
  secrets: "Credentials",
  service: "Service",
  entrance: "Address",
  deployment: "Deployment",
  ready: "Ready to answer",
  app: "App installed",
  overlay: "Its owner's settings",
  image: "New image",
  "scale-up": "Start",
  "scale-down": "Stop",
  stopped: "Stopped",
  "stop-old": "Stop the old one",
  target: "Objects on the new cluster",
  copy: "Copy the data",
  proof: "Prove that all of it arrived",
  "start-new": "Start the new one",
  repoint: "Lead to the new one",
  "remove-namespace": "Remove the namespace",
  "namespace-gone": "The namespace is gone",
  "remove-volume": "Remove the volume",
  "remove-storage": "Remove the storage",
};

/** A step as people read it. */
export function stepWords(name: string): string {
  return steps[name] ?? spoken(name);
}

/** How far the steps are, as a sentence for who listens: `Step 5 of 12: Volume`. */
export function progressWords(all: readonly nests.NestDetail["steps"][number][]): string {
  const done = all.filter(({ state }) => state === "done" || state === "skipped").length;
  const now = all.find(({ state }) => state === "running") ?? all.find(({ state }) => state === "failed");
  if (all.length === 0) return "Nothing was done yet.";
  if (now === undefined)
    return done === all.length ? `All ${all.length} steps are done.` : `${done} of ${all.length} done.`;
  return `Step ${all.indexOf(now) + 1} of ${all.length}${now.state === "failed" ? " failed" : ""}: ${stepWords(now.name)}.`;
}

/** What people call a nest: the name that was given, else its repository, else its id. */
export function nameOf({ project_name: name, org, primary_repo: repo, id }: nests.NestRow): string {
  if (name !== "") return name;
  if (org === "") return id;
  return repo.includes("/") ? repo : `${org}/${repo}`;
}
