import { type Html, html } from "@nest/http";
import { z } from "zod";
import { page } from "./page.ts";

/** An operation of the description, as far as the page shows it. */
const Schema = z.looseObject({
  type: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  default: z.unknown().optional(),
  properties: z.record(z.string(), z.looseObject({})).optional(),
  required: z.array(z.string()).optional(),
});
const Content = z.record(z.string(), z.object({ schema: Schema.optional(), example: z.unknown().optional() }));
const Operation = z.looseObject({
  summary: z.string(),
  "x-access": z.string(),
  "x-scope": z.string().optional(),
  parameters: z.array(z.object({ name: z.string(), in: z.string(), schema: Schema })),
  requestBody: z.object({ content: Content }).optional(),
  responses: z.record(z.string(), z.looseObject({ content: Content.optional() })),
});
type Operation = z.infer<typeof Operation>;
const Description = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.looseObject({
    responses: z.record(z.string(), z.looseObject({ description: z.string(), content: Content })),
  }),
});
type Description = z.infer<typeof Description>;

interface Described extends Operation {
  readonly method: string;
  readonly path: string;
}

/** The parts of the page: each route stands in the first whose addresses begin like its own. */
const areas: readonly { readonly title: string; readonly starts: readonly string[] }[] = [
  { title: "The queue", starts: ["/api/contribute/queue"] },
  { title: "Tasks and issues", starts: ["/api/contribute/tasks", "/api/contribute/issues"] },
  {
    title: "What happens",
    starts: [
      "/api/contribute/status",
      "/api/contribute/fleet",
      "/api/contribute/activity",
      "/api/contribute/events",
      "/api/contribute/metrics",
      "/api/audit",
      "/api/pauses",
      "/api/contribute/pauses",
      "/metrics",
    ],
  },
  { title: "Contributors", starts: ["/api/contributors", "/api/contribute", "/api/leaderboard"] },
  { title: "Settings", starts: ["/api/config"] },
  { title: "API tokens and signing in", starts: ["/api/tokens", "/api/auth", "/login"] },
  { title: "Hosted nests", starts: ["/api/saas"] },
  { title: "Nests that report", starts: ["/api/registry", "/api/heartbeat", "/api/hub"] },
  { title: "Everything else", starts: ["/api"] },
  { title: "Pages", starts: ["/"] },
];

const accessWords: Readonly<Record<string, string>> = {
  anyone: "anyone",
  "signed-in": "somebody who is signed in",
  contributor: "a contributor",
  admin: "an admin of the hub",
  spoke: "a nest, with its key",
  "code-host": "the code host, by its signature",
  ingress: "the ingress, for whoever asks it",
};

/** The API as a page to read, made of its OpenAPI description; it needs no script, and loads nothing from elsewhere. */
export function apiDocsPage(description: unknown, ownAddress: string): string {
  const { paths, components } = Description.parse(description);
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]): Described => ({ ...one, method: method.toUpperCase(), path })),
  );
  const parts = areas.map(({ title, starts }) => ({ title, starts, routes: [] as Described[] }));
  for (const one of all)
    parts.find(({ starts }) => starts.some((start) => one.path.startsWith(start)))?.routes.push(one);
  const shown = parts.filter(({ routes }) => routes.length > 0);
  return page({
    title: "API",
    description: "Every route of this hub: who may call it, what it takes, what it answers",
    here: "/api/docs",
    scripts: ["/assets/api-docs.js"],
    styles: ["/assets/api-docs.css"],
    body: html`<div class="lead"><h1>API</h1>
<p>Everything that the pages do, a program can do too. The same as data: <a href="/api/openapi.json">OpenAPI 3.1</a>.</p></div>
${beginning(ownAddress)}
<p class="api-search" hidden><label for="api-search">Find a route</label> <input id="api-search" type="search" autocomplete="off" placeholder="hold, /api/audit, operate"> <span id="api-found" role="status"></span></p>
<nav class="chips" aria-label="Parts of the API"><ul>${shown.map(({ title }) => html`<li><a href="#${idOf(title)}">${title}</a></li>`)}</ul></nav>
${shown.map(
  ({ title, routes }) => html`<section aria-labelledby="${idOf(title)}"><h2 id="${idOf(title)}">${title}</h2>
${routes.map((one) => routeOf(one, components, ownAddress))}</section>
`,
)}
${errorsOf(components)}`,
  });
}

function beginning(ownAddress: string): Html {
  return html`<section aria-labelledby="beginning"><h2 id="beginning">Beginning</h2>
<p>An admin makes a token at <a href="/tokens">API tokens</a>. It is sent as a header, never in an address or a cookie:</p>
<pre tabindex="0" aria-label="A request with a token"><code>curl -H "Authorization: Bearer $NEST_HUB_TOKEN" ${ownAddress}/api/contribute/queue?limit=5</code></pre>
<dl class="api-terms">
<dt><code>read</code></dt><dd>everything that an admin sees</dd>
<dt><code>operate</code></dt><dd>also acts on queue, tasks, relays and contributors</dd>
<dt><code>configure</code></dt><dd>also changes settings, trust, roles, quotas and clusters</dd>
</dl>
<p>Lists come a page at a time: <code>limit</code>, then the <code>cursor</code> that the answer named in <code>next_cursor</code>. Bodies are JSON; a key that a route does not know is refused. <code>nest hubctl</code> does all of this from a terminal.</p></section>
`;
}

function routeOf(one: Described, components: Description["components"], ownAddress: string): Html {
  const { method, path, summary, parameters, responses, requestBody } = one;
  const scope = one["x-scope"];
  const needs = scope === "people" || scope === undefined ? "" : ` scope ${scope}`;
  const body = requestBody?.content["application/json"];
  const [type = "", answer] = Object.entries(responses["200"]?.content ?? {})[0] ?? [];
  const statuses = Object.keys(responses).filter((status) => status !== "200");
  return html`<details class="api-route" id="${idOf(`${method} ${path}`)}" data-words="${`${method} ${path} ${summary} ${scope ?? ""}`.toLowerCase()}">
<summary><span class="api-method" data-method="${method}">${method}</span> <code>${path}</code>${needs === "" ? undefined : html` <span class="api-scope">${needs.trim()}</span>`} <span class="api-says">${summary}</span></summary>
<p>Who may: ${accessWords[one["x-access"]] ?? one["x-access"]}${tokenWords(scope, one["x-access"])}</p>
${
  parameters.length === 0
    ? undefined
    : fieldTable(
        "Parameters",
        parameters.map((field) => ({
          name: field.name,
          where: field.in,
          schema: field.schema,
          isNeeded: field.in === "path",
        })),
      )
}
${
  body?.schema?.properties === undefined
    ? undefined
    : fieldTable(
        "Body",
        Object.entries(body.schema.properties).map(([name, schema]) => ({
          name,
          where: "body",
          schema,
          isNeeded: body.schema?.required?.includes(name) === true,
        })),
      )
}
${body === undefined ? undefined : sample("Example", commandOf(one, body.example, ownAddress))}
${answer?.example === undefined ? html`<p>Answers <code>${type}</code>.</p>` : sample("Answer", JSON.stringify(answer.example, undefined, 2))}
<p class="soft">Errors: ${statuses.map((status, at) => html`${at === 0 ? "" : ", "}<a href="#error-${status}" title="${components.responses[`E${status}`]?.description ?? ""}">${status}</a>`)}</p>
</details>
`;
}

function tokenWords(scope: string | undefined, access: string): string {
  if (scope === "people") return "; no API token is enough.";
  if (scope !== undefined) return access === "anyone" ? "." : `, or an API token of the scope ${scope}.`;
  return access === "anyone" ? ", without a token." : ".";
}

function commandOf({ method, path }: Described, example: unknown, ownAddress: string): string {
  return `curl -X ${method} -H "Authorization: Bearer $NEST_HUB_TOKEN" -H 'Content-Type: application/json' \\
  ${ownAddress}${path} -d '${JSON.stringify(example, undefined, 2)}'`;
}

interface Field {
  readonly name: string;
  readonly where: string;
  readonly schema: object;
  readonly isNeeded: boolean;
}

function fieldTable(title: string, fields: readonly Field[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table><caption>${title}</caption>
<thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">What it takes</th></tr></thead>
<tbody>${fields.map(
    ({ name, where, schema, isNeeded }) =>
      html`<tr><th scope="row"><code>${name}</code>${isNeeded ? " needed" : ""}</th><td>${where}</td><td>${takes(schema)}</td></tr>`,
  )}</tbody></table></div>`;
}

/** What a field takes, in words. */
function takes(given: object): string {
  const schema = given as Readonly<Record<string, unknown>>;
  const variants = [schema.anyOf, schema.oneOf].flat().filter((one) => one !== undefined) as object[];
  if (variants.length > 0) return variants.map(takes).join(" or ");
  if (Array.isArray(schema.enum)) return schema.enum.join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === "array") return `list of ${takes((schema.items ?? {}) as object)}`;
  const said = [
    ...(typeof schema.type === "string" ? [schema.type] : []),
    ...(["minimum", "maximum", "minLength", "maxLength"] as const).flatMap((bound) => boundWords(bound, schema[bound])),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ];
  return said.join(", ") || "anything";
}

const boundNames = { minimum: "from", maximum: "to", minLength: "at least", maxLength: "at most" } as const;

function boundWords(bound: keyof typeof boundNames, value: unknown): readonly string[] {
  // JSON Schema writes the largest safe integer where nobody set a limit.
  if (typeof value !== "number" || Math.abs(value) >= Number.MAX_SAFE_INTEGER) return [];
  return [`${boundNames[bound]} ${value}${bound.endsWith("Length") ? " characters" : ""}`];
}

function sample(title: string, text: string): Html {
  return html`<p class="api-sample">${title}</p><pre tabindex="0" aria-label="${title}"><code>${text}</code></pre>`;
}

function errorsOf({ responses }: Description["components"]): Html {
  return html`<section aria-labelledby="errors"><h2 id="errors">Errors</h2>
<p>Every error is a sentence, a code that never changes, and what to do: <code>{"error", "code", "hint"}</code>.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Errors"><table><thead><tr><th scope="col">Status</th><th scope="col">When</th><th scope="col">For example</th></tr></thead>
<tbody>${Object.entries(responses).map(
    ([name, { description, content }]) =>
      html`<tr id="error-${name.slice(1)}"><th scope="row">${name.slice(1)}</th><td>${description}</td><td><code>${JSON.stringify(content["application/json"]?.example)}</code></td></tr>`,
  )}</tbody></table></div></section>`;
}

function idOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}
