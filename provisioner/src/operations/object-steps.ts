import { NestError, Secret } from "@nest/kit";
import { namespaceOf } from "@nest/protocol";
import { PLACEHOLDER, SECRETS, secret } from "../manifests/config.ts";
import type { NestSecrets } from "../manifests/spec.ts";
import { type ObjectStep, objectSteps, objectsByStep } from "../nest.ts";
import type { Step, StepContext } from "../work/step.ts";
import { ownObject } from "./ownership.ts";
import { specOf, type Tools } from "./tools.ts";

/** Steps that apply the objects of a nest, in order: all of them, or those named. */
export function applySteps(tools: Tools, names: readonly ObjectStep[] = objectSteps): readonly Step[] {
  return names.map((name) => ({
    name,
    run: (context) => (name === "secrets" ? applySecrets(context, tools) : applyObjects(context, tools, name)),
  }));
}

/** Makes the storage that the nest's cluster does not, and records its ids before anything uses it. */
export function storageStep(tools: Tools): Step {
  return {
    name: "storage",
    async run(context) {
      const made = await tools.storage.make(context.id, context.home.record, context.signal);
      if (made === undefined) return;
      const { secrets, ...ids } = made;
      if (secrets !== undefined)
        await tools.credentials.keep(context.id, { ...(await tools.credentials.take(context.id)), more: secrets });
      await context.change((record) => ({ ...record, ...ids }));
    },
  };
}

async function applyObjects(context: StepContext, tools: Tools, name: ObjectStep): Promise<void> {
  const { home, signal } = context;
  const record = await context.record();
  for (const object of objectsByStep(specOf(record, home.record, tools))[name]) {
    const { apiVersion, kind, metadata } = object;
    // What is in the nest's namespace is the nest's; what is in none may be anybody's.
    if (metadata.namespace === undefined)
      await ownObject(home, { apiVersion, kind, name: metadata.name }, tools.defaults.hub.id, signal);
    await home.cluster.apply(object, { signal });
  }
}

/**
 * Brings the credentials that wait into the nest's Secret; afterwards they are nowhere else. A Secret that is there keeps all
 * that nobody gave anew, because the hub does not know it.
 */
async function applySecrets(context: StepContext, tools: Tools): Promise<void> {
  const { home, signal, id } = context;
  const ref = { apiVersion: "v1", kind: "Secret", namespace: namespaceOf(id), name: SECRETS };
  const waiting = await tools.credentials.take(id);
  const there = await home.cluster.read(ref, signal);
  const spec = specOf(await context.record(), home.record, tools);
  if (there === undefined) {
    const { dashboardToken: tokenOf, hubSecret } = tools.defaults;
    const dashboardToken = waiting?.dashboardToken ?? tokenOf?.(id) ?? new Secret(tools.random.hex(32));
    const all: NestSecrets = { ...waiting, dashboardToken, hubSecret };
    await home.cluster.apply(secret(spec, all), { signal });
  } else if (waiting !== undefined) {
    const given = secret(spec, { ...waiting, hubSecret: tools.defaults.hubSecret });
    await home.cluster.patch(ref, { metadata: { labels: given.metadata.labels }, data: valuesOf(given) }, signal);
  }
  await tools.credentials.forget(id);
}

/** The values of a Secret without the placeholders. */
function valuesOf(object: { readonly [key: string]: unknown }): Readonly<Record<string, string>> {
  const placeholder = Buffer.from(PLACEHOLDER).toString("base64");
  const data = object.data as Readonly<Record<string, string>>;
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== placeholder));
}

/** The last step of a nest whose app has no key or installation yet: everything is applied, and the nest is in `error` (spec). */
export const appStep: Step = {
  name: "app",
  async run() {
    throw new NestError("nest_app_missing", "the app is not installed yet, or its private key is missing", {
      hint: "install the app, save its installation and key in the nest's dashboard, then retry",
    });
  },
};
