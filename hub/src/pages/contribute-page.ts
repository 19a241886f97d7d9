import { type Html, html } from "@nest/http";
import { type contribute, type governor, permissionsOf, type Tier } from "@nest/protocol";
import { tell } from "./live-words.ts";
import { page } from "./page.ts";

/** The agent CLIs that a relay can drive, with what it takes to have one. */
const clis = [
  { name: "claude", title: "Claude Code", needs: "signed in, or ANTHROPIC_API_KEY" },
  { name: "copilot", title: "Copilot", needs: "signed in at the code host" },
  { name: "codex", title: "Codex", needs: "signed in, or OPENAI_API_KEY" },
  { name: "goose", title: "Goose", needs: "a local model, or a provider's key" },
  { name: "bob", title: "Bob", needs: "its own API key" },
  { name: "pi", title: "Pi", needs: "a provider's key" },
  { name: "aider", title: "Aider", needs: "a provider's key" },
  { name: "litellm", title: "LiteLLM", needs: "NEST_LITELLM_ENDPOINT and NEST_LITELLM_API_KEY" },
  { name: "agy", title: "Agy", needs: "an interactive sign-in; on the machine itself only" },
] as const;

/** This CLI runs only on the machine itself: its sign-in cannot be done in a container. */
const HOST_ONLY = "agy";

export interface ContributeDeps {
  readonly status: contribute.StatusReply;
  readonly activity: readonly contribute.ActivityEntry[];
  readonly settings: governor.GovernorSettings;
  readonly cli: string | undefined;
  readonly hubAddress: string;
}

/** How to contribute: what there is to do, the commands for the chosen CLI, what the tiers mean, what happens now. */
export function contributePage(deps: ContributeDeps): string {
  const { status, activity, settings, cli, hubAddress } = deps;
  const chosen = clis.find(({ name }) => name === cli) ?? clis[0];
  return page({
    title: "Contribute",
    description: "Lend your coding agent to open issues: the queue, the commands, the tiers.",
    here: "/contribute",
    scripts: ["/assets/contribute.js"],
    body: html`<div class="lead"><h1>Lend your agent</h1>
<p>Your machine runs a relay. It takes one open issue at a time from this hub, has your coding agent work on it, and opens a pull request in your name. Your keys stay with you.</p></div>
${notices(status, settings)}
<dl class="counters" id="counters">
${counter("actionable_items", status.actionable_items, "issues on offer")}
${counter("in_flight", status.in_flight, "being worked on")}
${counter("active_contributors", status.active_contributors, "contributors connected")}
${counter("total_registered", status.total_registered, "registered")}
</dl>
<section aria-labelledby="start"><h2 id="start">Start in three commands</h2>
<nav class="chips" aria-label="Your agent CLI"><ul>${clis.map((one) => chip(one, one === chosen))}</ul></nav>
<p class="soft">${chosen.title} needs: ${chosen.needs}.</p>
<ol class="steps">
${step("Say which hub, and see what is missing", `export NEST_HUB=${hubAddress}\ncontribute-check ${chosen.name}`)}
${step("Register once; the token stays in ~/.config/nest/contributor.env", `contribute-setup ${chosen.name}`)}
${step("Start", chosen.name === HOST_ONLY ? `contribute-hive ${chosen.name} local` : "contribute-hive")}
</ol>
${chosen.name === HOST_ONLY ? undefined : html`<p class="soft">Without a container: <code>contribute-hive ${chosen.name} local</code>. In a cluster: <code>contribute-k8s</code>.</p>`}
<p class="soft">From a checkout each begins with <code>./bin/</code>.</p></section>
<section aria-labelledby="tiers"><h2 id="tiers">Trust is earned by pull requests</h2>
<p class="soft">Only pull requests that the code host confirms count.</p>
<div class="scroll tiers" tabindex="0" role="region" aria-label="What each tier may do"><table><thead><tr><th scope="col">Tier</th><th scope="col">How</th><th scope="col">A task may</th><th scope="col">Per hour</th><th scope="col">Per day</th><th scope="col">At once</th></tr></thead>
<tbody>${tierNames.map((tier) => tierRow(tier, settings))}</tbody></table></div></section>
<section aria-labelledby="feed-title"><h2 id="feed-title">What happens</h2>
<ol class="feed" id="feed" aria-live="polite">${activity.map(feedLine)}</ol>
${activity.length === 0 ? html`<p class="soft" id="feed-empty">Nothing yet. The first contributor makes history.</p>` : undefined}</section>`,
  });
}

function notices(status: contribute.StatusReply, settings: governor.GovernorSettings): Html {
  const lines = [
    ...(status.announcement === undefined ? [] : [html`<p class="notice">${status.announcement}</p>`]),
    ...(settings.contribute_suspended
      ? [html`<p class="notice">Handing out is suspended for now. Relays stay connected and wait.</p>`]
      : []),
    ...(settings.contribute_reject_unknown_models && settings.contribute_allow_models.length > 0
      ? [html`<p class="notice">Models accepted here: ${settings.contribute_allow_models.join(", ")}.</p>`]
      : []),
  ];
  return html`<div id="notices">${lines}</div>`;
}

function counter(name: string, value: number, meaning: string): Html {
  return html`<div><dt>${meaning}</dt><dd data-count="${name}">${value}</dd></div>\n`;
}

function chip({ name, title }: (typeof clis)[number], chosen: boolean): Html {
  const href = `/contribute?cli=${name}#start`;
  return chosen
    ? html`<li><a href="${href}" aria-current="true">${title}</a></li>`
    : html`<li><a href="${href}">${title}</a></li>`;
}

function step(what: string, command: string): Html {
  return html`<li><p>${what}</p><div class="command"><pre tabindex="0"><code>${command}</code></pre><button type="button" class="copy" hidden>Copy</button></div></li>\n`;
}

const tierNames = ["newcomer", "contributor", "trusted", "merger", "advisor"] as const;

const mayDo: Readonly<Record<string, string>> = {
  "issues:write": "comment",
  "contents:write": "push branches",
  "pulls:write": "open pull requests",
  "checks:read": "read checks",
  "metadata:read": "read",
  "pulls:read": "read pull requests",
};

function tierRow(tier: Exclude<Tier, "revoked">, settings: governor.GovernorSettings): Html {
  const { max_per_hour, max_per_day, max_concurrent } = settings.tier_limits[tier];
  const off = settings.disabled_tiers.includes(tier);
  const limit = (name: string, most: number) =>
    html`<td class="number" data-name="${name}">${most === 0 ? "no limit" : most}</td>`;
  return html`<tr><th scope="row">${tier}${off ? html` <small class="off">off</small>` : undefined}</th><td data-name="How">${howTo(tier, settings)}</td><td data-name="A task may">${permissionsOf(
    tier,
  )
    .map((one) => mayDo[one] ?? one)
    .join(
      ", ",
    )}</td>${limit("Per hour", max_per_hour)}${limit("Per day", max_per_day)}${limit("At once", max_concurrent)}</tr>`;
}

function howTo(tier: Exclude<Tier, "revoked">, settings: governor.GovernorSettings): string {
  const at = (count: number) =>
    count === 0 ? "by an admin" : `after ${count} verified pull request${count === 1 ? "" : "s"}`;
  if (tier === "newcomer") return "on registration";
  if (tier === "contributor") return at(settings.contribute_contributor_at);
  return tier === "trusted" ? at(settings.contribute_trusted_at) : "by an admin";
}

function feedLine(entry: contribute.ActivityEntry): Html {
  const { before, about: issue, after, link } = tell(entry);
  const said = issue ?? link?.text;
  const plain = said === undefined ? undefined : html` <bdi>${said}</bdi>`;
  const about =
    link === undefined
      ? plain
      : html` <a href="${link.href}" rel="noopener noreferrer nofollow"><bdi>${said}</bdi></a>`;
  const rest = after === "" ? undefined : html` ${after}`;
  return html`<li><time datetime="${entry.timestamp}">${entry.timestamp.slice(11, 16)}</time> <span><b><bdi>${entry.username}</bdi></b> <bdi>${before}</bdi>${about}${rest}</span></li>\n`;
}
