export { runCommand, type Said } from "./command.ts";
export type { BackupDeps } from "./deps/deps.ts";
