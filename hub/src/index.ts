export { buildHub, type Hub, type HubDeps } from "./app.ts";
export { type HubConfig, readHubConfig } from "./config.ts";
export { runHub } from "./main.ts";
export { NumbersReadModel } from "./statistics/numbers-read-model.ts";
