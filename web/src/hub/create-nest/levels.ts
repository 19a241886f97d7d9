/** What agents of a nest may do, from the level on that is the index. */
const levels: readonly { readonly name: string; readonly means: string; readonly login: string }[] = [
  { name: "agents rest", means: "No agent works.", login: "nothing" },
  {
    name: "agents advise",
    means: "Agents read code and issues and write down what should be done. They change nothing at the code host.",
    login: "metadata, contents, issues and pull requests: read",
  },
  {
    name: "agents advise, as instructed",
    means: "As level 1, with instructions of yours for each agent. The usual beginning.",
    login: "metadata, contents, issues and pull requests: read",
  },
  {
    name: "quality opens pull requests",
    means: "Agents for quality and tests open pull requests, which wait for a person. The others advise.",
    login: "contents, issues and pull requests: read and write",
  },
  {
    name: "all file issues",
    means:
      "All agents file issues. Those for quality, security and the pipeline open pull requests, which wait for a person.",
    login: "contents, issues and pull requests: read and write",
  },
  {
    name: "all open pull requests",
    means: "All agents open pull requests. Each waits until a person has looked at it.",
    login: "contents, issues and pull requests: read and write",
  },
  {
    name: "agents merge",
    means: "Agents open pull requests and merge them once every required check is green and nobody asked for a change.",
    login: "contents, issues and pull requests: read and write",
  },
];

/** Levels that a nest can be created with. */
export const offeredLevels = [1, 2, 3, 4, 5, 6] as const;

/** A level in a few words. */
export function levelOf(level: number): string {
  return levels[level]?.name ?? "unknown";
}

/** What a level means for the repositories. */
export function levelMeans(level: number): string {
  return levels[level]?.means ?? "";
}

/** What the nest's login has to be allowed at the code host. */
export function levelNeeds(level: number): string {
  return levels[level]?.login ?? "";
}
