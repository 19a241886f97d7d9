export type { ScriptedFailure } from "./scripted-failures.ts";
export { EMPTY_SEED, type Seed, type SeedApp, type SeedIssue, type SeedRepository } from "./seed.ts";
export { type LocalCodeHost, type LocalCodeHostOptions, startLocalCodeHost } from "./start.ts";
