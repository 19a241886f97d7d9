import { type Html, html } from "@nest/http";
import type { nestConfig } from "@nest/protocol";
import type { SignInWay } from "../access/sign-in-way.ts";
import type { Visitor } from "../access/visitor.ts";
import type { NestYaml } from "../config/nest-yaml.ts";
import type { Outcome } from "../heartbeat/send.ts";
import { page } from "./page.ts";
import { howToComeIn } from "./sign-in-page.ts";

export interface HomePage {
  readonly nestId: string;
  readonly version: string;
  readonly config: NestYaml;
  /** Configuration files that are not used, with the reason. */
  readonly notUsed: readonly nestConfig.RejectedFile[];
  readonly visitor: Visitor;
  readonly signIn: SignInWay;
  readonly hub: HubState | undefined;
  readonly now: number;
}

interface HubState {
  readonly base: string;
  readonly lastSuccessAt: number | undefined;
  readonly lastOutcome: Outcome | undefined;
}

/** The dashboard's first page: what this nest is, and whether its hub hears it. */
export function homePage(home: HomePage): string {
  const name = home.config.project.org ?? home.nestId;
  if (home.visitor.kind === "stranger") {
    return page(
      "Nest",
      html`<h1>A nest</h1>
<p>This nest is running. Its details are not public.</p>
${howToComeIn(home.signIn)}`,
    );
  }
  return page(
    `${name} · Nest`,
    html`<h1>${name}</h1>
<p>A nest: agents that work on the issues of these repositories.</p>
<section aria-labelledby="about"><h2 id="about">About</h2><dl>
${row("Nest", home.nestId)}
${row("Version", home.version)}
${row("Autonomy level", String(home.config.acmm_level))}
</dl></section>
${notUsed(home.notUsed)}
<section aria-labelledby="repositories"><h2 id="repositories">Repositories</h2>${repositories(home.config)}</section>
<section aria-labelledby="agents"><h2 id="agents">Agents</h2>${agents(home.config)}</section>
<section aria-labelledby="hub"><h2 id="hub">Hub</h2>${hubSection(home)}</section>
<p><small><a href="/sign-in">Sign in or out</a> · <a href="/api/health">health</a>, <a href="/api/livez">liveness</a>, <a href="/metrics">metrics</a>,
<a href="/api/openapi.json">description of the API</a>.</small></p>`,
    { visitor: home.visitor, here: "/" },
  );
}

function notUsed(files: HomePage["notUsed"]): Html {
  if (files.length === 0) return html``;
  const items = files.map(({ file, reason }) => html`<li><code>${file}</code>: ${reason}</li>`);
  return html`<section aria-labelledby="not-used"><h2 id="not-used">Configuration that is not used</h2><ul>${items}</ul></section>`;
}

function repositories(config: NestYaml): Html {
  const { repos, primary_repo } = config.project;
  if (repos.length === 0) return html`<p>None are configured: set <code>project.repos</code> in nest.yaml.</p>`;
  const items = repos.map(
    (repo) => html`<li>${repo}${repo === primary_repo ? html` <small>primary</small>` : undefined}</li>`,
  );
  return html`<ul>${items}</ul>`;
}

function agents(config: NestYaml): Html {
  const names = Object.keys(config.agents);
  if (names.length === 0) return html`<p>None are configured.</p>`;
  const items = names.map((name) => {
    const agent = config.agents[name];
    const facts = [agent?.backend, agent?.model, agent?.enabled === true ? undefined : "off"].filter(
      (fact) => fact !== undefined,
    );
    return html`<li>${name} <small>${facts.join(" · ")}</small></li>`;
  });
  return html`<ul>${items}</ul>`;
}

function hubSection({ hub, now }: HomePage): Html {
  if (hub === undefined) return html`<p>This nest reports to no hub.</p>`;
  return html`<dl>
${row("Address", hub.base)}
${row("Last heartbeat", hub.lastSuccessAt === undefined ? "none accepted yet" : agoOf(now - hub.lastSuccessAt))}
</dl>${trouble(hub.lastOutcome)}`;
}

function trouble(outcome: Outcome | undefined): Html {
  if (outcome === undefined || outcome.kind === "accepted") return html``;
  const sentence =
    outcome.kind === "unreachable"
      ? "The hub could not be reached at the last try."
      : outcome.status === 401
        ? "The hub refused the last heartbeat: NEST_HUB_SECRET is missing or not the hub's."
        : `The hub refused the last heartbeat with status ${outcome.status}.`;
  return html`<p class="bad">${sentence}</p>`;
}

function row(term: string, value: string): Html {
  return html`<dt>${term}</dt><dd>${value}</dd>`;
}

function agoOf(elapsedMs: number): string {
  const seconds = Math.max(0, Math.floor(elapsedMs / 1000));
  return seconds < 120 ? `${seconds} s ago` : `${Math.floor(seconds / 60)} min ago`;
}
