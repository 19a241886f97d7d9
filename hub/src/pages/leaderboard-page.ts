import { type Html, html } from "@nest/http";
import { type leaderboard as described, leaderboard } from "@nest/protocol";
import { page } from "./page.ts";

type Row = described.LeaderboardRow;

export interface LeaderboardPageDeps {
  readonly window: described.LeaderboardWindow;
  readonly people: readonly Row[];
  readonly agents: readonly Row[];
  readonly page: number;
  /** The custom stylesheet asked for, where its name could be one. */
  readonly style: string | undefined;
}

const ROWS = 100;

const windowNames: Readonly<Record<described.LeaderboardWindow, string>> = {
  week: "7 days",
  month: "30 days",
  all: "All time",
};

/** The public leaderboard: verified work first. Everything that a custom stylesheet can dress is inside `#leaderboard`. */
export function leaderboardPage(deps: LeaderboardPageDeps): string {
  const { window, people, agents, style } = deps;
  const pages = Math.max(1, Math.ceil(people.length / ROWS));
  const at = Math.min(deps.page, pages);
  const rows = people.slice((at - 1) * ROWS, at * ROWS);
  const address = (changes: Record<string, string | undefined>) => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries({ window, style, ...changes }))
      if (value !== undefined) query.set(name, value);
    return `/leaderboard?${query}`;
  };
  return page({
    title: "Leaderboard",
    description: "Who got issues done here, by pull requests that the code host confirmed.",
    here: "/leaderboard",
    styles: style === undefined ? [] : [`/api/leaderboard/style?src=${encodeURIComponent(style)}`],
    body: html`<div class="leaderboard-frame"><div id="leaderboard">
<div class="lead"><h1>Leaderboard</h1>
<p>By pull requests that the code host confirmed, then by completed tasks.</p></div>
<nav class="chips" aria-label="Time"><ul>${leaderboard.leaderboardWindows.map((one) =>
      one === window
        ? html`<li><a href="${address({ window: one })}" aria-current="true">${windowNames[one]}</a></li>`
        : html`<li><a href="${address({ window: one })}">${windowNames[one]}</a></li>`,
    )}</ul></nav>
${people.length === 0 ? html`<p class="empty">Nobody has completed a task ${window === "all" ? "yet" : "in this time"}. <a href="/contribute">Be the first.</a></p>` : table("people", "Contributors", rows)}
${pages > 1 ? pager(at, pages, address) : undefined}
${agents.length === 0 ? undefined : html`<section aria-labelledby="agents-title"><h2 id="agents-title">Bots</h2>${table("agents", "Bots", agents.slice(0, ROWS))}</section>`}
</div></div>`,
  });
}

function table(id: string, label: string, rows: readonly Row[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="ranks ${id}"><thead><tr><th scope="col" class="number">#</th><th scope="col">Contributor</th><th scope="col">Tier</th><th scope="col" class="number">Verified</th><th scope="col" class="number">Completed</th></tr></thead>
<tbody>${rows.map(
    (row) =>
      html`<tr class="rank-${Math.min(row.rank, 4)}"><td class="number rank">${row.rank}</td><th scope="row" class="name"><bdi>${row.github_username}</bdi>${row.active ? html` <span class="live" title="connected now"><span class="hidden">connected now</span></span>` : undefined}</th><td class="tier">${row.trust_tier}</td><td class="number verified">${row.tasks_verified}</td><td class="number completed">${row.tasks_completed}</td></tr>\n`,
  )}</tbody></table></div>`;
}

function pager(at: number, pages: number, address: (changes: Record<string, string>) => string): Html {
  return html`<nav class="pager" aria-label="More">${at > 1 ? html`<a href="${address({ page: String(at - 1) })}" rel="prev">Before</a>` : undefined} <span>Page ${at} of ${pages}</span> ${at < pages ? html`<a href="${address({ page: String(at + 1) })}" rel="next">After</a>` : undefined}</nav>`;
}
