/**
 * The hub's front page: the main job as it happens. What is here stands for itself without scripts; `/assets/live.js` fills
 * it with what the hub says, as text, never as markup.
 */
export function livePage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="Issues being worked on by contributors' coding agents, live.">
<title>Nest · live</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M2 7a6 6 0 0 0 12 0' fill='none' stroke='%232f7d68' stroke-width='2.4' stroke-linecap='round'/%3E%3Ccircle cx='8' cy='5' r='2' fill='%232f7d68'/%3E%3C/svg%3E">
<link rel="stylesheet" href="/assets/theme.css">
<link rel="stylesheet" href="/assets/live.css">
<script type="module" src="/assets/live.js"></script>
</head>
<body>
<a class="skip" href="#under-way">Skip to the tasks under way</a>
<header>
<div class="wide bar">
<p class="brand"><svg viewBox="0 0 16 16" width="22" height="22" aria-hidden="true"><path d="M2 7a6 6 0 0 0 12 0"/><circle cx="8" cy="5" r="2"/></svg>Nest</p>
<nav aria-label="Pages"><ul><li><a href="/" aria-current="page">Live</a></li><li><a href="/contribute">Contribute</a></li><li><a href="/leaderboard">Leaderboard</a></li><li><a href="/operations">Operations</a></li></ul></nav>
<p class="link-state" id="link-state" role="status" data-state="loading">loading</p>
</div>
</header>
<main class="wide">
<div class="lead">
<h1>Issues becoming pull requests</h1>
<p>This hub hands open issues to contributors' relays, one at a time. Each comes back as a pull request, or with the reason why not.</p>
</div>
<noscript><p class="notice">This page follows the hub live and needs scripts for that. The same as data:
<a href="/api/contribute/status">status</a>, <a href="/api/contribute/fleet">tasks under way and relays</a>,
<a href="/api/contribute/queue">queue</a>, <a href="/api/contribute/activity">what happened</a>.</p></noscript>
<p class="notice" id="notice" role="status" hidden></p>
<dl class="counters">
${counter("offer", "On offer", "issues ready to hand out")}
${counter("progress", "In progress", "tasks under lease")}
${counter("done", "Completed", "in the last 24 hours")}
${counter("relays", "Relays", "connected now")}
</dl>
<div class="columns">
<div>
${section("under-way", "Under way", "Tasks under lease", "ul", "Waiting for the hub…")}
${section("next", "Next in the queue", "Issues in the order they are handed out", "ol", "Waiting for the hub…")}
${section("repositories", "Repositories", "Repositories this hub serves", "ul", "Waiting for the hub…")}
</div>
<div>
${section("feed", "What happens", "What happens, newest first", "ol", "Waiting for the hub…", ' role="log" aria-live="polite" aria-relevant="additions"')}
${section("fleet", "Relays", "Connected relays", "ul", "Waiting for the hub…")}
</div>
</div>
</main>
<footer class="wide"><p><a href="/contribute">Contribute</a> <a href="/leaderboard">Leaderboard</a></p><p>As data: <a href="/api/contribute/status">status</a> <a href="/api/contribute/queue">queue</a> <a href="/api/contribute/fleet">fleet</a> <a href="/api/contribute/activity">activity</a> <a href="/api/openapi.json">API</a></p></footer>
</body>
</html>
`;
}

function counter(id: string, name: string, meaning: string): string {
  return `<div><dt>${name}</dt><dd><span class="number" id="count-${id}">–</span> <small>${meaning}</small></dd></div>`;
}

function section(id: string, title: string, label: string, list: "ul" | "ol", empty: string, more = ""): string {
  return `<section id="${id}" aria-labelledby="${id}-title" tabindex="-1">
<h2 id="${id}-title">${title} <span class="tally" id="${id}-tally"></span></h2>
<p class="empty" id="${id}-empty">${empty}</p>
<${list} class="list" id="${id}-list" aria-label="${label}"${more}></${list}>
<p class="more" id="${id}-more" hidden></p>
</section>`;
}
