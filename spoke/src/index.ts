export { runSpoke } from "./main.ts";
export { type RunningSpoke, startSpoke } from "./start.ts";
