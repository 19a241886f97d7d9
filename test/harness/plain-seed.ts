import type { Seed } from "@nest/local-codehost";

/** The seed of a code host: these repositories, each with this many issues that differ only in their number. */
export function plainSeed(token: string, repositories: readonly string[], issuesEach: number, body = ""): Seed {
  return {
    organisations: ["acme"],
    tokens: { [token]: "acme-nest" },
    repositories: repositories.map((full) => {
      const [owner = "", name = ""] = full.split("/");
      const issues = Array.from({ length: issuesEach }, (_, at) => ({
        title: `Issue ${at + 1}`,
        body,
        author: "ada",
        labels: [],
      }));
      return { owner, name, files: { "README.md": "# One\n" }, issues };
    }),
  };
}
