import { namespaceOf } from "@nest/protocol";
import type { DesiredObject } from "./object.ts";
import type { NestSpec } from "./spec.ts";

/** The label that says which hub an object belongs to, and the annotation with the id as it is written. */
export const HUB_LABEL = "nest-hub";
export const HUB_ANNOTATION = "nest/hub-id";
/** The label with the nest's id. */
const NEST_LABEL = "nest-id";

/** Finds the objects of one hub's nests. */
export function selectorOfHub(hubId: string): string {
  return `app=nest,${HUB_LABEL}=${labelValue(hubId)}`;
}

/** The labels of every object of a nest (spec: labelled `app=nest`). */
export function labelsOf(spec: Pick<NestSpec, "id" | "hub">): Readonly<Record<string, string>> {
  return { app: "nest", [NEST_LABEL]: spec.id, [HUB_LABEL]: labelValue(spec.hub.id) };
}

/** Metadata of an object in the nest's namespace. */
export function metadataOf(spec: NestSpec, name: string): DesiredObject["metadata"] {
  return { name, namespace: namespaceOf(spec.id), labels: labelsOf(spec) };
}

/** As {@link metadataOf}, with the `owner` label that an admission policy may require of these kinds. */
export function ownedMetadataOf(spec: NestSpec, name: string): DesiredObject["metadata"] {
  return { ...metadataOf(spec, name), labels: { ...labelsOf(spec), owner: labelValue(spec.owner) || "nobody" } };
}

/** A text as a label's value: at most 63 of letters, digits, `-`, `_` and `.`, beginning and ending with a letter or digit. */
export function labelValue(text: string): string {
  return text
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .slice(0, 63)
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "");
}
