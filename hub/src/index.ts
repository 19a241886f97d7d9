export { buildHub, type Hub, type HubParts } from "./app.ts";
export { type HubConfig, readHubConfig } from "./config.ts";
export { LOG_BYTES } from "./database/log-length.ts";
export { openPostgres } from "./database/postgres.ts";
export { openSqlite } from "./database/sqlite.ts";
export type { HubDatabase } from "./engine.ts";
export { runHub } from "./main.ts";
export { tokenDigest } from "./access/token-digest.ts";
