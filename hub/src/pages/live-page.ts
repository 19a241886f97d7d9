import { type Html, html } from "@nest/http";
import { publicDocument, siteHeader } from "./page.ts";

/**
 * The hub's front page: the work as it happens. Without scripts it says where the data is; `/assets/live.js` fills it with what
 * the hub sends, as text, never as markup. The lists appear together once all are known, so that none pushes another down.
 */
export function livePage(): string {
  return publicDocument({
    title: "Nest · live",
    description: "Issues being worked on by contributors' coding agents, live.",
    styles: ["/assets/live.css"],
    scripts: ["/assets/live.js"],
    body: html`<a class="skip" href="#under-way">Skip to the tasks under way</a>
${siteHeader("/", html`<p class="link-state" id="link-state" role="status" data-state="loading">loading</p>`)}
<main class="wide">
<div class="lead">
<h1>Issues becoming pull requests</h1>
<p>This hub hands open issues to contributors' relays, one at a time. Each comes back as a pull request, or with the reason why not.</p>
</div>
<noscript><p class="notice">This page follows the hub live and needs scripts for that. The same as data:
<a href="/api/contribute/status">status</a>, <a href="/api/contribute/fleet">tasks under way and relays</a>,
<a href="/api/contribute/queue">queue</a>, <a href="/api/contribute/activity">what happened</a>.</p></noscript>
<dl class="counters">
${counter("offer", "On offer", "issues ready to hand out")}
${counter("progress", "In progress", "tasks under lease")}
${counter("done", "Completed", "in the last 24 hours")}
${counter("relays", "Relays", "connected now")}
</dl>
<p class="notice" id="notice" role="status" hidden></p>
<p class="waiting" id="waiting">Waiting for the hub…</p>
<div class="columns" id="lists" hidden>
<div>
${section({ id: "under-way", title: "Under way", label: "Tasks under lease", list: "ul" })}
${section({ id: "next", title: "Next in the queue", label: "Issues in the order they are handed out", list: "ol" })}
${section({ id: "repositories", title: "Repositories", label: "Repositories this hub serves", list: "ul" })}
</div>
<div>
${section({ id: "feed", title: "What happens", label: "What happens, newest first", list: "ol", isLog: true })}
${section({ id: "fleet", title: "Relays", label: "Connected relays", list: "ul" })}
</div>
</div>
</main>
<footer class="wide"><p><a href="/contribute">Contribute</a> <a href="/leaderboard">Leaderboard</a></p><p>As data: <a href="/api/contribute/status">status</a> <a href="/api/contribute/queue">queue</a> <a href="/api/contribute/fleet">fleet</a> <a href="/api/contribute/activity">activity</a> <a href="/api/docs">API</a></p></footer>`,
  });
}

function counter(id: string, name: string, meaning: string): Html {
  return html`<div><dt>${name}</dt><dd><span class="number" id="count-${id}">–</span> <small>${meaning}</small></dd></div>`;
}

interface SectionParts {
  readonly id: string;
  readonly title: string;
  readonly label: string;
  readonly list: "ul" | "ol";
  /** True: screen readers announce new rows. */
  readonly isLog?: boolean;
}

function section({ id, title, label, list, isLog = false }: SectionParts): Html {
  const rows =
    list === "ol"
      ? html`<ol class="list" id="${id}-list" aria-label="${label}"></ol>`
      : html`<ul class="list" id="${id}-list" aria-label="${label}"></ul>`;
  return html`<section id="${id}" aria-labelledby="${id}-title" tabindex="-1">
<h2 id="${id}-title">${title} <span class="tally" id="${id}-tally"></span></h2>
<p class="empty" id="${id}-empty"></p>
${isLog ? html`<div class="log" role="log" tabindex="0" aria-live="polite" aria-relevant="additions" aria-label="${title}">${rows}</div>` : rows}
<p class="more" id="${id}-more" hidden></p>
</section>`;
}
