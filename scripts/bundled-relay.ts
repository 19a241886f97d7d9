import { realParts, runContribute } from "../relay/src/commands/main.ts";
import { runRelay } from "../relay/src/main.ts";

/** Put in by `scripts/bundle.ts`. */
declare const BUNDLE_VERSION: string;

/** The one program of the bundle: a contribute-* command where the first word names one, else the relay. */
async function run([first = "", ...rest]: readonly string[]): Promise<number> {
  if (first.startsWith("contribute-")) return runContribute(first, rest, realParts());
  if (/^--?version$/.test(first)) {
    process.stdout.write(`${BUNDLE_VERSION}\n`);
    return 0;
  }
  return runRelay(first === "relay" ? rest : process.argv.slice(2), process.env);
}

process.exitCode = await run(process.argv.slice(2));
