import { defineConfig } from "vitest/config";

/** Stories of a hub, told again on PostgreSQL: what the hub promises does not depend on where it keeps its state. */
const onBothEngines = [
  "access",
  "audit",
  "claims",
  "find-issues",
  "find-tasks",
  "gateway",
  "governor",
  "leaderboard",
  "lease",
  "models",
  "numbers",
  "queue",
  "queue-order",
  "roles",
  "second-chances",
  "standing",
  "webhooks",
].map((story) => `test/scenarios/${story}.test.ts`);
onBothEngines.push("test/hostile/newcomer-with-a-token-*.test.ts");

/**
 * Stories with real containers: these come and go with network devices of this machine, and each time Chromium breaks off what its pages
 * load (`ERR_NETWORK_CHANGED`). They run when the pages are through.
 */
const withContainers = [
  "cluster-pods",
  "contributor-image",
  "contributor-pod",
  "hosted-for-real",
  "hosted-nest-lives",
  "up-hosted",
].map((story) => `test/scenarios/${story}.test.ts`);

/** Unit tests sit beside their source; stories across programs sit in test/. */
export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // On a loaded machine a second is short; what is polled for is asserted, not how soon it came.
    expect: { poll: { timeout: 10_000 } },
    pool: "forks",
    maxWorkers: 2,
    reporters: ["default", "./scripts/closing-line.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "nest",
          include: [
            "*/src/**/*.test.ts",
            "test/scenarios/**/*.test.ts",
            "test/hostile/**/*.test.ts",
            "test/real-postgres/**/*.test.ts",
            "test/simulation/**/*.test.ts",
            "scripts/**/*.test.ts",
          ],
          exclude: withContainers,
        },
      },
      {
        extends: true,
        test: { name: "postgres", include: onBothEngines, globalSetup: ["./test/harness/postgres-for-all.ts"] },
      },
      { extends: true, test: { name: "containers", include: withContainers, sequence: { groupOrder: 1 } } },
    ],
  },
});
