// Follows the hub: one read of each list, then server-sent events. Nothing is polled; a list that is not sent with the
// events is read again when an event says that it changed.
import { byId, element, Listing, linkOr, slideDown, timeSince } from "./live-dom.js";
import { addToFeed, duration, repositoryState, safeHref, tell, withheldWords, workState } from "./live-words.js";
import { describeUnavailable } from "./reasons.js";

const FEED_KEPT = 500;
const QUEUE_EVERY_MS = 3000;
const PAINT_EVERY_MS = 200;
const TRY_AGAIN_MS = 5000;
/** The hub sends a heartbeat every 10 seconds. */
const SILENCE_MS = 30_000;

const listings = {
  work: new Listing("under-way", 50),
  next: new Listing("next", 8),
  feed: new Listing("feed", 16),
  fleet: new Listing("fleet", 8),
  repositories: new Listing("repositories", 30),
};

const known = { status: undefined, fleet: undefined, queue: undefined, feed: undefined };
let aheadMs = 0;

const now = () => Date.now() + aheadMs;

async function read(path) {
  const response = await fetch(`/api/contribute/${path}`, { headers: { accept: "application/json" } });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  const said = Date.parse(response.headers.get("date") ?? "");
  if (!Number.isNaN(said) && Math.abs(said - Date.now()) > 2000) aheadMs = said - Date.now();
  return response.json();
}

// ---- what the hub says

async function readAll() {
  const [status, fleet, queue, activity] = await Promise.all([
    read("status"),
    read("fleet"),
    read("queue?limit=8"),
    read(`activity?limit=${FEED_KEPT}`),
  ]);
  known.status = status;
  known.fleet = fleet;
  known.queue = queue;
  known.feed = addToFeed(known.feed ?? [], activity.activity, FEED_KEPT);
  notice("");
  paintSoon();
}

let mayBeOld = false;
let refreshTimer;
function refresh() {
  clearTimeout(refreshTimer);
  readAll().then(
    () => {
      mayBeOld = false;
    },
    () => {
      mayBeOld = true;
      notice("The hub does not answer right now. This page tries again by itself; what it shows may be old.");
      refreshTimer = setTimeout(refresh, TRY_AGAIN_MS);
    },
  );
}

let queueTimer;
let queueReadAt = 0;
function readQueueSoon() {
  if (queueTimer !== undefined) return;
  const wait = Math.max(0, queueReadAt + QUEUE_EVERY_MS - Date.now());
  queueTimer = setTimeout(async () => {
    queueTimer = undefined;
    queueReadAt = Date.now();
    try {
      known.queue = await read("queue?limit=8");
      paintSoon();
    } catch {
      // The stream says when the hub is away; the list is read again at the next change.
    }
  }, wait);
}

function takeStatus(status) {
  const before = known.status;
  known.status = { ...before, ...status };
  if (
    before?.actionable_items !== known.status.actionable_items ||
    before?.in_flight !== known.status.in_flight ||
    before?.total_items !== known.status.total_items
  ) {
    readQueueSoon();
  }
  paintSoon();
}

function takeActivity(entries) {
  const feed = addToFeed(known.feed ?? [], entries, FEED_KEPT);
  known.feed = feed;
  paintSoon();
}

let retryMs = 1000;
let stream;
/** When the stream was begun, or brought something. */
let heardAt = 0;
function follow() {
  stream?.close();
  stream = new EventSource("/api/contribute/events");
  heardAt = Date.now();
  const on = (name, take) =>
    stream.addEventListener(name, (event) => {
      heardAt = Date.now();
      take(JSON.parse(event.data));
    });
  on("heartbeat", () => {});
  stream.addEventListener("open", () => {
    retryMs = 1000;
    heardAt = Date.now();
    linkState("live", "live");
    // After a break the lists may have moved on without us.
    if (mayBeOld) refresh();
  });
  on("hello", (hello) => {
    takeActivity(hello.activity ?? []);
    if (hello.status) takeStatus(hello.status);
  });
  on("activity", (entry) => takeActivity([entry]));
  on("status", takeStatus);
  on("work", (fleet) => {
    known.fleet = fleet;
    paintSoon();
  });
  stream.addEventListener("error", () => {
    linkState("broken", "reconnecting…");
    mayBeOld = true;
    if (stream.readyState !== EventSource.CLOSED) return;
    // The hub answered with something that is no stream: EventSource gives up then, we do not.
    setTimeout(follow, retryMs);
    retryMs = Math.min(30_000, retryMs * 2);
  });
}

// A hub that stands still keeps the stream open and says nothing: only the missing heartbeat tells.
setInterval(() => {
  if (stream === undefined || Date.now() - heardAt <= SILENCE_MS) return;
  linkState("broken", `last heard ${new Date(heardAt).toLocaleTimeString("en-GB")}`);
  mayBeOld = true;
  follow();
}, 1000);

// ---- how it looks

function linkState(state, text) {
  const shown = byId("link-state");
  if (shown.dataset.state === state) return;
  shown.dataset.state = state;
  shown.textContent = text;
}

let hubNotice = "";
function notice(text) {
  hubNotice = text;
  const shown = byId("notice");
  const said = text !== "" ? text : standingNotice();
  shown.hidden = said === "";
  if (shown.textContent !== said) shown.textContent = said;
}

function standingNotice() {
  const { suspended = false, pause, announcement = "" } = known.status ?? {};
  const isPaused = suspended || pause !== undefined;
  const note = pause === undefined || pause.note === "" ? "" : `: ${pause.note}`;
  const paused = isPaused ? `An operator has paused the hand-out of work${note}. Tasks under way go on.` : "";
  return [paused, announcement].filter((sentence) => sentence !== "").join(" ");
}

let paintIsDue = false;
function paintSoon() {
  if (paintIsDue) return;
  paintIsDue = true;
  setTimeout(paint, PAINT_EVERY_MS);
}

function paint() {
  paintIsDue = false;
  paintCounters();
  showLists();
  paintWork();
  paintQueue();
  paintFeed();
  paintFleet();
  paintRepositories();
  notice(hubNotice);
  tick();
}

/** Shows the lists once all of them are known: one that came later would push those below it out of one's eyes. */
function showLists() {
  if (Object.values(known).includes(undefined)) return;
  byId("lists").hidden = false;
  byId("waiting").hidden = true;
}

function paintCounters() {
  const { status, fleet } = known;
  count("offer", status?.actionable_items);
  count("progress", fleet?.in_flight_count ?? status?.in_flight);
  count("relays", fleet?.clankers.length);
  count("done", status?.completed_day);
}

function count(id, value) {
  const text = value === undefined ? "–" : value.toLocaleString("en");
  const shown = byId(`count-${id}`);
  if (shown.textContent !== text) shown.textContent = text;
}

function issueName(repo, number) {
  return `${repo}#${number}`;
}

/** An issue's name as a link to its page on this hub; bare text where it is none, as of a private repository. */
function issueLink(name) {
  const [, repo, number] = /^([\w.-]+\/[\w.-]+)#([1-9]\d*)$/.exec(name) ?? [];
  return linkOr(repo === undefined ? undefined : `/issues/${repo}/${number}`, "where", name);
}

function paintWork() {
  if (known.fleet === undefined) return;
  const { work, clankers } = known.fleet;
  listings.work.show({
    items: work,
    keyOf: (task) => task.task_id,
    tally: true,
    whenEmpty: whyNoWork(clankers),
    make: (task) => {
      const line = element("p", "line");
      line.append(linkOr(safeHref(task.url), "title", task.title || issueName(task.repo, task.number)));
      const state = linkOr(`/tasks/${encodeURIComponent(task.task_id)}`, "state", workState(task.status));
      state.dataset.state = task.status;
      const facts = element("p", "facts");
      facts.append(
        element("span", "who", task.github_username),
        issueLink(task.private === true ? "private" : issueName(task.repo, task.number)),
        state,
        timeSince("elapsed", task.assigned_at, false),
      );
      const rows = [line, facts];
      if (task.note) rows.push(element("p", "note", task.note));
      return rows;
    },
  });
}

function whyNoWork(clankers) {
  if (clankers.length === 0)
    return "No relay is connected yet: register with contribute-setup, then start one with nest relay. The first task shows up here.";
  if (known.status?.actionable_items === 0) return "Nothing is under way: no issue is on offer right now.";
  return "Nothing is under way right now.";
}

function paintQueue() {
  if (known.queue === undefined) return;
  // The queue is read less often than the work: what was handed out since is no longer next.
  const taken = new Set((known.fleet?.work ?? []).map((work) => `${work.repo}#${work.number}`.toLowerCase()));
  const waiting = known.queue.queue.filter((item) => !taken.has(item.key));
  const held = withheldWords(known.status?.withheld ?? known.queue.withheld ?? {});
  const empty = known.status?.repositories?.length === 0 ? "No repository is served yet." : "No issue is on offer.";
  listings.next.show({
    items: waiting,
    keyOf: (item) => item.key,
    total: Math.max(waiting.length, known.status?.actionable_items ?? known.queue.actionable_items),
    tally: true,
    whenEmpty: held === "" ? empty : `${empty} Held back: ${held}.`,
    make: (item) => {
      const line = element("p", "line");
      line.append(linkOr(safeHref(item.url), "title", item.title));
      const facts = element("p", "facts");
      facts.append(issueLink(issueName(item.repo, item.number)));
      for (const label of item.labels.slice(0, 4)) facts.append(element("span", "label", label));
      return [line, facts];
    },
  });
}

function paintFeed() {
  if (known.feed === undefined) return;
  slideDown(byId("feed-list"), () => {
    showFeed();
    // The times as well: a line is only as high as it stays once it says how long ago it was.
    tick();
  });
}

function showFeed() {
  listings.feed.show({
    items: known.feed.slice(0, 16),
    keyOf: (entry) => entry.id,
    whenEmpty: "Nothing has happened yet.",
    make: (entry) => {
      const told = tell(entry);
      const line = element("p", "line");
      line.append(element("strong", "who", entry.username), " ", element("bdi", "", told.before), " ");
      const about = entry.title || (told.about ?? told.link?.text);
      if (about) line.append(element("span", "title", about));
      line.append(told.after === "" ? "" : ` ${told.after}`);
      const facts = element("p", "facts");
      facts.append(timeSince("ago", entry.timestamp, true));
      if (entry.task) facts.append(issueLink(entry.task));
      if (told.link && told.link.text !== "issue") facts.append(linkOr(told.link.href, "", told.link.text));
      if (entry.task_id) facts.append(linkOr(`/tasks/${encodeURIComponent(entry.task_id)}`, "", "task"));
      line.dataset.tone = told.tone;
      const rows = [line, facts];
      if (told.detail) rows.push(element("p", "note", told.detail));
      return rows;
    },
  });
}

function idleWords(reason) {
  return reason === undefined ? "waiting" : describeUnavailable(reason).label;
}

function paintFleet() {
  if (known.fleet === undefined) return;
  listings.fleet.show({
    items: known.fleet.clankers,
    keyOf: (relay) => relay.connection_id,
    tally: true,
    whenEmpty: "None yet.",
    make: (relay) => {
      const line = element("p", "line");
      line.append(element("span", "who", relay.github_username));
      const state = element("span", "state", relay.current_task ? "working" : idleWords(relay.idle_reason));
      state.dataset.state = relay.current_task ? "in-progress" : "idle";
      line.append(state);
      const facts = element("p", "facts");
      const agent = [relay.cli_backend, relay.model].filter(Boolean).join(" · ");
      facts.append(element("span", "where", relay.trust_tier), element("span", "", agent));
      return [line, facts];
    },
  });
}

function paintRepositories() {
  if (known.status?.repositories === undefined) return;
  listings.repositories.show({
    items: known.status.repositories,
    keyOf: (repository) => repository.repo,
    whenEmpty: "No repository is served yet: name some under project.repos in the hub's configuration.",
    make: (repository) => {
      const line = element("p", "line");
      const state = element("span", "state", repositoryState(repository.state, repository.issues));
      state.dataset.state = repository.state;
      line.append(element("span", "who", repository.repo), state);
      return repository.error ? [line, element("p", "note", repository.error)] : [line];
    },
  });
}

function tick() {
  for (const shown of document.querySelectorAll("time[data-since]")) {
    const elapsed = now() - Number(shown.dataset.since);
    const text = "ago" in shown.dataset ? `${duration(elapsed)} ago` : duration(elapsed);
    if (shown.textContent !== text) shown.textContent = text;
  }
}

setInterval(tick, 1000);
refresh();
follow();
