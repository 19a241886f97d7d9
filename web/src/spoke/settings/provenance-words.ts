import type { nestConfig } from "@nest/protocol";
import { dateAndTime } from "../../shared/format/format.ts";

type Row = nestConfig.ProvenanceRow;

/** Where a value comes from, in words; undefined for a default, of which there is nothing to say. */
export function sourceWords({ layer, source, by, at }: Row): string | undefined {
  switch (layer) {
    case "default":
      return undefined;
    case "seed":
      return `From ${source?.split("/").at(-1) ?? "nest.yaml"}.`;
    case "environment":
      return `Set by ${source ?? "the environment"}: an edit here has no effect.`;
    case "dashboard": {
      const when = at === undefined ? "" : `, ${dateAndTime(at)}`;
      return by === undefined && at === undefined
        ? "Saved here."
        : `Saved here${by === undefined ? "" : ` by ${by}`}${when}.`;
    }
  }
}

const layerNames = {
  default: "The default is",
  seed: "nest.yaml says",
  dashboard: "Here was saved",
  environment: "The environment says",
} as const;

/** What other layers say and lose, one sentence each. A default that is not in force is not said. */
export function hiddenWords({ hidden }: Row): string[] {
  return hidden
    .filter(({ layer }) => layer !== "default")
    .map(({ layer, value }) => `${layerNames[layer]} ${written(value)}, which does not count.`);
}

/** What the running nest still goes by, where that is something else. */
export function runningWords(row: Row): string | undefined {
  return "running" in row && row.running !== undefined
    ? `After a restart. Until then: ${written(row.running)}.`
    : undefined;
}

/** Whether an edit on this page would change nothing. */
export function isBeyondReach({ layer }: Row): boolean {
  return layer === "environment";
}

function written(value: unknown): string {
  if (value === null || value === undefined || value === "") return "nothing";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" ? value : JSON.stringify(value);
}
