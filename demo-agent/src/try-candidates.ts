/**
 * A program of its own, because what it imports may do anything, hang too: reads `{files, examples}` from standard input, and
 * prints the index of every module for which all the examples hold, and `at N` before each.
 */
import { isDeepStrictEqual } from "node:util";
import type { Example } from "./examples.ts";

interface Task {
  readonly files: readonly string[];
  readonly first: number;
  readonly examples: readonly Example[];
}

let input = "";
for await (const chunk of process.stdin) input += chunk;
const task = JSON.parse(input) as Task;
for (const [index, file] of task.files.entries()) {
  if (index < task.first) continue;
  process.stdout.write(`at ${index}\n`);
  try {
    const module = (await import(file)) as Record<string, unknown>;
    if (task.examples.every((example) => holds(module, example))) process.stdout.write(`fits ${index}\n`);
  } catch {
    // A candidate that cannot even be loaded does not fit.
  }
}

function holds(module: Record<string, unknown>, example: Example): boolean {
  if (example.kind === "command") return false;
  const act = module[example.name];
  if (typeof act !== "function") return false;
  try {
    const got: unknown = act(...structuredClone(example.args));
    return example.kind === "call" && isDeepStrictEqual(got, example.gives);
  } catch (thrown) {
    return example.kind === "throws" && thrown instanceof Error && thrown.name === example.error;
  }
}
