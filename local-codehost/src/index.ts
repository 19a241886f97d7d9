export {
  DEMO_CONTRIBUTORS,
  DEMO_HUB_TOKEN,
  DEMO_NEST_REPOSITORY,
  DEMO_ORG,
  DEMO_REPOSITORIES,
  demoSeed,
} from "./demo-seed.ts";
export type { ScriptedFailure } from "./scripted-failures.ts";
export type { Seed, SeedApp, SeedIssue, SeedRepository } from "./seed.ts";
export { type LocalCodeHost, type LocalCodeHostOptions, startLocalCodeHost } from "./start.ts";
