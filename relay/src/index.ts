export { type RunOptions, runRelay } from "./main.ts";
export { takeSecrets } from "./start-secrets.ts";
