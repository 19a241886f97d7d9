// Says on a page that a server made when that does not answer any more, as the pages of the app do: what is shown may be old by then.
const place = document.getElementById("offline");
const EVERY_MS = 15_000;
const DEADLINE_MS = 10_000;
let heardAt = new Date();
let timer;

async function look() {
  clearTimeout(timer);
  timer = setTimeout(look, EVERY_MS);
  // Nobody reads a page that is behind others; it looks when it comes forward.
  if (document.visibilityState === "hidden") return;
  try {
    await fetch("/api/health", { cache: "no-store", signal: AbortSignal.timeout(DEADLINE_MS) });
    heardAt = new Date();
    place.replaceChildren();
  } catch {
    if (place.childElementCount === 0) place.append(banner());
  }
}

function banner() {
  const again = document.createElement("button");
  again.type = "button";
  again.className = "button";
  again.textContent = "Try now";
  again.addEventListener("click", look);
  const line = document.createElement("div");
  line.className = "wide";
  const words = document.createElement("span");
  words.textContent = `The ${place.dataset.server} does not answer. Last heard at ${heardAt.toLocaleTimeString("en-GB")}. What you see may be old; this page tries again by itself.`;
  line.append(words, again);
  const box = document.createElement("div");
  box.className = "offline-banner";
  box.append(line);
  return box;
}

timer = setTimeout(look, EVERY_MS);
document.addEventListener("visibilitychange", look);
addEventListener("offline", look);
addEventListener("online", look);
