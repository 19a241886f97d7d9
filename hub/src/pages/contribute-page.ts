import { type Html, html } from "@nest/http";
import { type contribute, type governor, permissionsOf, type Tier } from "@nest/protocol";
import { tell } from "./live-words.ts";
import { page } from "./page.ts";

/** The agent CLIs that a relay can drive, with what it takes to have one; `install` where its maker has a package. */
const CLAUDE: Cli = {
  name: "claude",
  title: "Claude Code",
  needs: "signed in, or ANTHROPIC_API_KEY",
  install: "npm i -g @anthropic-ai/claude-code",
};
const clis: readonly Cli[] = [
  CLAUDE,
  { name: "copilot", title: "Copilot", needs: "signed in at the code host", install: "npm i -g @github/copilot" },
  { name: "codex", title: "Codex", needs: "signed in, or OPENAI_API_KEY", install: "npm i -g @openai/codex" },
  { name: "goose", title: "Goose", needs: "a local model with Ollama, or a provider's key" },
  { name: "bob", title: "Bob", needs: "its own API key" },
  { name: "pi", title: "Pi", needs: "a provider's key", install: "npm i -g @mariozechner/pi-coding-agent" },
  { name: "aider", title: "Aider", needs: "a provider's key", install: "pipx install aider-chat" },
  {
    name: "litellm",
    title: "LiteLLM",
    needs: "Claude Code, NEST_LITELLM_ENDPOINT and NEST_LITELLM_API_KEY",
    install: "npm i -g @anthropic-ai/claude-code",
  },
  { name: "agy", title: "Agy", needs: "an interactive sign-in; on the machine itself only" },
];

interface Cli {
  readonly name: string;
  readonly title: string;
  readonly needs: string;
  readonly install?: string;
}

const USUAL_CODE_HOST = "https://github.com";
/** This CLI runs only on the machine itself: its sign-in cannot be done in a container. */
const HOST_ONLY = "agy";

export interface ContributeDeps {
  readonly status: contribute.StatusReply;
  readonly activity: readonly contribute.ActivityEntry[];
  readonly settings: governor.GovernorSettings;
  readonly cli: string | undefined;
  /** This hub's own address, as whoever asks should use it. */
  readonly hubAddress: string;
  /** Where the hub's repositories are: for browsers and git, and for programs. */
  readonly codeHostAddress: { readonly web: string; readonly api: string };
  /** SHA-256 of the relay's package; undefined where the hub has none. */
  readonly relayDigest: string | undefined;
}

/** How to contribute: what there is to do, the commands for the chosen CLI, what the tiers mean, what happens now. */
export function contributePage(deps: ContributeDeps): string {
  const { status, activity, settings, cli } = deps;
  const chosen = clis.find(({ name }) => name === cli) ?? CLAUDE;
  return page({
    title: "Contribute",
    description: "Lend your coding agent to open issues: the queue, the commands, the tiers.",
    here: "/contribute",
    scripts: ["/assets/contribute.js"],
    body: html`<div class="lead"><h1>Lend your agent</h1>
<p>Your machine runs a relay. It takes one open issue at a time from this hub, has your coding agent work on it, and the agent opens a pull request that counts for you. Your keys stay with you. <a href="/contribute/me">How I stand</a></p></div>
${notices(status, settings)}
<dl class="counters" id="counters">
${counter("actionable_items", status.actionable_items, "issues on offer")}
${counter("in_flight", status.in_flight, "being worked on")}
${counter("active_contributors", status.active_contributors, "contributors connected")}
${counter("total_registered", status.total_registered, "registered")}
</dl>
${start(chosen, deps)}
<section aria-labelledby="tiers"><h2 id="tiers">Trust is earned by pull requests</h2>
<p class="soft">Only pull requests that the code host confirms count. A newcomer's agent opens them with the newcomer's own login at the code host, from a fork. From the tier contributor on the hub can hand out a short-lived token for the repository of a task, which pushes and opens them there; they count for you all the same.</p>
<div class="scroll tiers" tabindex="0" role="region" aria-label="What each tier brings"><table><thead><tr><th scope="col">Tier</th><th scope="col">How</th><th scope="col">The hub's token for a task may</th><th scope="col">Per hour</th><th scope="col">Per day</th><th scope="col">At once</th></tr></thead>
<tbody>${tierNames.map((tier) => tierRow(tier, settings))}</tbody></table></div></section>
<section aria-labelledby="feed-title"><h2 id="feed-title">What happens</h2>
<ol class="feed" id="feed" aria-live="polite">${activity.map(feedLine)}</ol>
${activity.length === 0 ? html`<p class="soft" id="feed-empty">Nothing yet. The first contributor makes history.</p>` : undefined}</section>`,
  });
}

/** What it takes, and the commands in their order. */
function start(chosen: Cli, { hubAddress, relayDigest, codeHostAddress }: ContributeDeps): Html {
  const { name } = chosen;
  const socket = `${hubAddress.replace(/^http/, "ws")}/contribute`;
  return html`<section aria-labelledby="start"><h2 id="start">Start in five minutes</h2>
<p>You need Node 20 or newer with npm, git, an account at <a href="${codeHostAddress.web}">${new URL(codeHostAddress.web).host}</a>, and one agent CLI:</p>
<nav class="chips" aria-label="Your agent CLI"><ul>${clis.map((one) => chip(one, one === chosen))}</ul></nav>
<p class="soft">${chosen.title} needs: ${chosen.needs}.${chosen.install === undefined ? undefined : html` Not there yet? <code>${chosen.install}</code>`}</p>
<ol class="steps">
${getCommands(hubAddress, relayDigest)}
${step("Say which hub, and see what is missing on this machine", `export NEST_HUB=${socket}\n${codeHostExports(codeHostAddress)}contribute-check ${name}`)}
${step("Register once. It signs you in at the code host where you are not; the token stays in ~/.config/nest/contributor.env", `contribute-setup ${name}`)}
${step("Start. The relay says what confines the agent here, and how to watch it; Ctrl-C ends both and gives the task back", `contribute-hive ${name} local`)}
${step("See what you did, your tier, and what is left of your limits", "nest-relay status")}
</ol>
${elsewhere(name)}
<p class="soft">All of it in words: <a href="/contribute/guide">the guide</a>. Each command explains itself with <code>-h</code>.</p></section>`;
}

/** What tells the commands of a code host that is not the one they expect. */
function codeHostExports({ web, api }: ContributeDeps["codeHostAddress"]): string {
  return web === USUAL_CODE_HOST ? "" : `export NEST_GITHUB_URL=${web} NEST_GITHUB_API_URL=${api}\n`;
}

function getCommands(hubAddress: string, digest: string | undefined): Html {
  if (digest === undefined)
    return step("Get the commands: they are in the folder bin of a checkout of Nest", 'export PATH="$PWD/bin:$PATH"');
  const address = `${hubAddress}/contribute/relay.tgz`;
  return html`<li><p>Get the commands. One package without dependencies; no script of it runs when it is installed</p>${command(`npm i -g ${address}`)}
<details><summary>Check it first, or install nothing</summary>
<p>Its SHA-256 is <code class="digest">${digest}</code>.</p>
${command(`curl -fsSLO ${address}\necho "${digest}  relay.tgz" | sha256sum -c && npm i -g ./relay.tgz`)}
<p>Without installing, each command is</p>
${command(`npx --yes -p ${address} contribute-check`)}</details></li>`;
}

function elsewhere(name: string): Html | undefined {
  if (name === HOST_ONLY) return undefined;
  return html`<p class="soft">In a container: <code>contribute-hive ${name}</code>. In a cluster: <code>contribute-k8s</code>. Both take an image that holds the agent; the commands say how to get it. Several hubs: <code>contribute-setup</code> for each. Several machines: register on one, and copy its ~/.config/nest/contributor.env to the others.</p>`;
}

function notices(status: contribute.StatusReply, settings: governor.GovernorSettings): Html {
  const lines = [
    ...(status.announcement === undefined ? [] : [html`<p class="notice">${status.announcement}</p>`]),
    ...(settings.contribute_suspended || status.pause !== undefined
      ? [
          html`<p class="notice">Handing out is suspended for now${status.pause === undefined || status.pause.note === "" ? "" : `: ${status.pause.note}`}. Relays stay connected and wait.</p>`,
        ]
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

function chip({ name, title }: Cli, chosen: boolean): Html {
  const href = `/contribute?cli=${name}#start`;
  return chosen
    ? html`<li><a href="${href}" aria-current="true">${title}</a></li>`
    : html`<li><a href="${href}">${title}</a></li>`;
}

function step(what: string, commands: string): Html {
  return html`<li><p>${what}</p>${command(commands)}</li>\n`;
}

function command(text: string): Html {
  return html`<div class="command"><pre tabindex="0"><code>${text}</code></pre><button type="button" class="copy" hidden>Copy</button></div>`;
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
  return html`<tr><th scope="row">${tier}${off ? html` <small class="off">off</small>` : undefined}</th><td data-name="How">${howTo(tier, settings)}</td><td data-name="The hub's token may">${permissionsOf(
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
