import { runRelay } from "../main.ts";

/** The relay as a process of its own, for tests that kill it. */
process.exitCode = await runRelay(process.argv.slice(2), process.env);
