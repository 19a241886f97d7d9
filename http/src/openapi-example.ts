/** A JSON schema, as far as an example is made of it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What a field of this name holds in an example, where its schema leaves that open. */
const byName: Readonly<Record<string, unknown>> = {
  key: "acme/api#12",
  expected: "acme/api#12",
  place: "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8",
  revision: "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8",
  repo: "acme/api",
  number: 12,
  title: "Say which file was not found",
  url: "https://code.example/acme/api/issues/12",
  pr_url: "https://code.example/acme/api/pull/34",
  github_username: "ada",
  login: "ada",
  username: "ada",
  actor: "boss",
  by: "boss",
  made_by: "boss",
  author: "grace",
  contributor_id: "c-5f3a9b1c",
  task_id: "task-1f-9a3c71",
  connection_id: "r1.42",
  session: "laptop",
  reason: "needs a decision",
  note: "until the release is out",
  cli_backend: "claude",
  model: "sonnet",
  name: "nightly report",
  primary_repo: "acme/api",
  org: "acme",
  owner: "ada",
  registration_token: "64 hexadecimal digits, shown once",
  token: "shown once",
  quiet_hours: "22:00-07:00",
  timezone: "Europe/Berlin",
};

const MOMENT = "2026-11-23T08:00:00.000Z";
/** Deeper than anything is described; a schema that contains itself ends here. */
const DEEPEST = 8;

/**
 * A value that fits a schema and reads like a real one: the schema's own example or default, else one by the field's name, else the
 * plainest of its type. Every optional field is there, so that a reader sees what can come.
 */
export function exampleOf(schema: JsonSchema, name = "", depth = 0): unknown {
  if (depth > DEEPEST) return null;
  const { examples, const: constant, enum: choices, default: given, type } = schema;
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if (constant !== undefined) return constant;
  if (Array.isArray(choices)) return choices[0];
  if (given !== undefined) return given;
  const [variant] = [schema.anyOf, schema.oneOf, schema.allOf].flat().filter((one) => one !== undefined);
  if (variant !== undefined) return exampleOf(variant as JsonSchema, name, depth + 1);
  switch (type) {
    case "object":
      return objectOf(schema, depth);
    case "array":
      return [exampleOf((schema.items ?? {}) as JsonSchema, singular(name), depth + 1)];
    case "integer":
    case "number":
      return typeof byName[name] === "number" ? byName[name] : numberOf(schema);
    case "boolean":
      return true;
    case "string":
      return textOf(schema, name);
    default:
      return null;
  }
}

function objectOf({ properties, additionalProperties, propertyNames }: JsonSchema, depth: number): object {
  if (typeof properties === "object" && properties !== null)
    return Object.fromEntries(
      Object.entries(properties).map(([name, one]) => [name, exampleOf(one as JsonSchema, name, depth + 1)]),
    );
  if (typeof additionalProperties !== "object" || additionalProperties === null) return {};
  const { enum: choices } = (propertyNames ?? {}) as JsonSchema;
  const keys = Array.isArray(choices) ? choices.map(String) : ["name"];
  return Object.fromEntries(keys.map((key) => [key, exampleOf(additionalProperties as JsonSchema, "", depth + 1)]));
}

function numberOf({ minimum, exclusiveMinimum, maximum }: JsonSchema): number {
  const least = typeof minimum === "number" ? minimum : typeof exclusiveMinimum === "number" ? exclusiveMinimum + 1 : 3;
  const plain = Math.max(3, least);
  return typeof maximum === "number" ? Math.min(plain, maximum) : plain;
}

function textOf({ minLength, maxLength }: JsonSchema, name: string): string {
  const known = byName[name];
  if (typeof known === "string") return known;
  if (/(?:^|_)(?:at|from|until|active|activity|since|login_at)$/.test(name) || name === "timestamp") return MOMENT;
  const plain = typeof minLength === "number" && minLength > 4 ? "text".padEnd(minLength, "x") : "text";
  return typeof maxLength === "number" ? plain.slice(0, maxLength) : plain;
}

function singular(name: string): string {
  if (name === "order" || name === "keys" || name === "hold" || name === "lifted") return "key";
  return name.replace(/ies$/, "y").replace(/s$/, "");
}
