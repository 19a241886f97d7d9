import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Checkout } from "./checkout.ts";
import type { Example } from "./examples.ts";
import { harmlessEnvironment, run } from "./run.ts";

/** Longer, and a candidate hangs. */
const PATIENCE_MS = 5_000;

/** Which of several texts of a JavaScript module make all the examples hold, in order. They lie beside the file while tried. */
export async function fittingModules(
  checkout: Checkout,
  file: string,
  candidates: readonly string[],
  examples: readonly Example[],
): Promise<string[]> {
  const names = candidates.map((_, index) => join(dirname(file), `candidate-${index}.tmp.js`));
  await Promise.all(names.map((name, index) => checkout.write(name, candidates[index] ?? "")));
  const fits: number[] = [];
  try {
    const files = names.map((name) => pathToFileURL(join(checkout.folder, name)).href);
    for (let first = 0; first < files.length; ) {
      const outcome = await run(process.execPath, [join(import.meta.dirname, "try-candidates.ts")], {
        cwd: checkout.folder,
        env: harmlessEnvironment(),
        input: JSON.stringify({ files, first, examples }),
        timeoutMs: PATIENCE_MS,
      });
      fits.push(...[...outcome.out.matchAll(/^fits (\d+)$/gm)].map((match) => Number(match[1])));
      if (outcome.code === 0) break;
      // The one that it was at hangs or ends the process: go on after it.
      first = Number([...outcome.out.matchAll(/^at (\d+)$/gm)].at(-1)?.[1] ?? files.length) + 1;
    }
  } finally {
    await Promise.all(names.map((name) => rm(join(checkout.folder, name), { force: true })));
  }
  return fits.flatMap((index) => candidates[index] ?? []);
}

/** The same for a shell script, whose examples are commands. The file has its old text again afterwards. */
export async function fittingScripts(
  checkout: Checkout,
  file: string,
  candidates: readonly string[],
  examples: readonly Example[],
): Promise<string[]> {
  const before = await checkout.need(file);
  const fits: string[] = [];
  try {
    for (const candidate of candidates) {
      await checkout.write(file, candidate);
      if (await commandsHold(checkout, examples)) fits.push(candidate);
    }
  } finally {
    await checkout.write(file, before);
  }
  return fits;
}

/** Whether every command prints what its example says. Only scripts of the repository are run. */
export async function commandsHold(checkout: Checkout, examples: readonly Example[]): Promise<boolean> {
  for (const example of examples) {
    if (example.kind !== "command") return false;
    const script = example.args[0] ?? "";
    await checkout.need(script);
    const options = { cwd: checkout.folder, env: harmlessEnvironment(), timeoutMs: PATIENCE_MS };
    const outcome = await run("sh", example.args, options);
    if (outcome.code !== 0 || outcome.out.trimEnd() !== example.prints) return false;
  }
  return true;
}
