import { defineConfig } from "vitest/config";

/** Unit tests sit beside their source; stories across programs sit in test/. */
export default defineConfig({
  test: {
    include: [
      "*/src/**/*.test.ts",
      "test/scenarios/**/*.test.ts",
      "test/simulation/**/*.test.ts",
      "scripts/**/*.test.ts",
    ],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
    reporters: ["default", "./scripts/closing-line.ts"],
  },
});
