export { type RunOptions, runRelay } from "./main.ts";
export { takeSecrets } from "./secrets/start-secrets.ts";
