import type { Pod } from "./cluster.ts";

interface RawPod {
  readonly metadata?: { readonly name?: string; readonly deletionTimestamp?: string };
  readonly status?: { readonly phase?: string };
  readonly spec?: { readonly containers?: readonly { readonly name?: string }[] };
}

/** What Nest asks of a pod, from the object as the API server gives it. */
export function podOf(object: object): Pod {
  const raw = object as RawPod;
  return {
    name: raw.metadata?.name ?? "",
    phase: raw.status?.phase ?? "Unknown",
    isEnding: raw.metadata?.deletionTimestamp !== undefined,
    containers: (raw.spec?.containers ?? []).map(({ name }) => name ?? ""),
  };
}
