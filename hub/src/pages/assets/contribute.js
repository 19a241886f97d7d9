// Keeps the numbers and the feed of /contribute up to date, and copies commands. The page works without it.
import { slideDown } from "./live-dom.js";
import { tell } from "./live-words.js";

for (const button of document.querySelectorAll("button.copy")) {
  const command = button.parentElement?.querySelector("code")?.textContent ?? "";
  button.hidden = false;
  button.setAttribute("aria-label", `Copy: ${command.replaceAll("\n", "; ")}`);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(command);
      button.textContent = "Copied";
    } catch {
      // Without https there is no clipboard for pages: the text is marked, so that a key press copies it.
      const code = button.parentElement?.querySelector("code");
      if (code) getSelection()?.selectAllChildren(code);
      button.textContent = "Marked";
    }
    setTimeout(() => {
      button.textContent = "Copy";
    }, 2000);
  });
}

const LINES = 12;
const feed = document.getElementById("feed");
const events = new EventSource("/api/contribute/events");

function showStatus(status) {
  for (const place of document.querySelectorAll("[data-count]")) {
    const value = status[place.dataset.count];
    if (typeof value === "number") place.textContent = String(value);
  }
}

function lineOf(entry) {
  const line = document.createElement("li");
  const time = document.createElement("time");
  time.dateTime = entry.timestamp;
  time.textContent = clockOf(entry.timestamp);
  const text = document.createElement("span");
  const who = document.createElement("b");
  who.append(isolated(entry.username));
  const { before, about: issue, after, link } = tell(entry);
  text.append(who, " ", isolated(before));
  const about = issue ?? link?.text;
  if (about !== undefined) text.append(" ", link === undefined ? isolated(about) : linked(link.href, about));
  if (after !== "") text.append(` ${after}`);
  line.append(time, " ", text);
  return line;
}

function linked(href, text) {
  const link = document.createElement("a");
  link.href = href;
  link.rel = "noopener noreferrer nofollow";
  link.append(isolated(text));
  return link;
}

function isolated(text) {
  const element = document.createElement("bdi");
  element.textContent = text;
  return element;
}

function clockOf(timestamp) {
  return new Date(timestamp).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
}

for (const time of feed?.querySelectorAll("time") ?? []) time.textContent = clockOf(time.dateTime);

events.addEventListener("hello", (event) => showStatus(JSON.parse(event.data).status));
events.addEventListener("status", (event) => showStatus(JSON.parse(event.data)));
events.addEventListener("activity", (event) => {
  document.getElementById("feed-empty")?.remove();
  slideDown(feed, () => {
    feed.prepend(lineOf(JSON.parse(event.data)));
    while (feed.children.length > LINES) feed.lastElementChild.remove();
  });
});
