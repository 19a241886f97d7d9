export { runCommand, type Said } from "./command.ts";
export type { Parts } from "./parts.ts";
