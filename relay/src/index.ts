export { type RunOptions, runRelay } from "./main.ts";
