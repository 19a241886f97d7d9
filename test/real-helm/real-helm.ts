import { execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";

const BUILD = new URL("./build.sh", import.meta.url).pathname;
const CHART = new URL("../../deploy/helm/nest-hub", import.meta.url).pathname;
/** Helm is built without a release's own word of which cluster it assumes. */
const ASSUMED = ["--kube-version", "1.36.3"];

/** An object as the chart renders it. */
export interface Rendered {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  // biome-ignore lint/suspicious/noExplicitAny: tests look into objects of every kind.
  readonly [key: string]: any;
}

/** The path of the real Helm, or undefined with the reason printed; a failure where CI is set. */
export function realHelm(): string | undefined {
  try {
    return execFileSync(BUILD, ["-where"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    const required = process.env.CI === "true" && process.env.NEST_TEST_WITHOUT_REAL_CLUSTER !== "1";
    if (required) throw new Error(`the real Helm is not built: run ${BUILD}`);
    console.error(`skipped: tests of the Helm chart (build Helm once with ${BUILD})`);
    return undefined;
  }
}

/** Runs Helm on our chart; rejects with what it said. */
export async function helm(program: string, verb: string, ...args: readonly string[]): Promise<string> {
  const named = verb === "template" ? ["nest-hub", CHART, "-n", "nest-hub", ...ASSUMED] : [CHART];
  const { stdout } = await promisify(execFile)(program, [verb, ...named, ...args], { maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

/** The objects that the chart renders with these values (`key=value`). */
export async function rendered(program: string, ...values: readonly string[]): Promise<readonly Rendered[]> {
  const text = await helm(program, "template", ...values.flatMap((one) => ["--set", one]));
  return parseAllDocuments(text).flatMap((one) => (one.toJS() === null ? [] : [one.toJS() as Rendered]));
}
