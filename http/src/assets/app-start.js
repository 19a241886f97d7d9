// Loaded with the frame of each page of the app, which the app replaces when its scripts have come. Where they do not come, this says so and
// loads the page again: a machine that changes its network while a page loads has all of its requests broken off.
(() => {
  const KEY = "nest-loaded-again";
  const LATE_MS = 15_000;
  /** How long it waits each time; after that a person decides. */
  const WAITS_MS = [1000, 4000, 15_000];
  /** What happened longer ago than this is another trouble. */
  const FORGOTTEN_AFTER_MS = 120_000;
  let isBroken = false;

  function timesBefore() {
    try {
      const { times, at } = JSON.parse(sessionStorage.getItem(KEY) ?? "{}");
      return Date.now() - at < FORGOTTEN_AFTER_MS ? times : 0;
    } catch {
      return WAITS_MS.length; // The browser keeps nothing for this page, so nobody would count.
    }
  }

  function loadAgain() {
    try {
      sessionStorage.setItem(KEY, JSON.stringify({ times: timesBefore() + 1, at: Date.now() }));
    } catch {
      // Then nothing is counted, and nothing is loaded again by itself.
    }
    location.reload();
  }

  /** Says it where "Loading…" stands. @returns false when the app has begun: it has its own words. */
  function say(text) {
    const place = document.querySelector("[data-loading]");
    if (place === null) return false;
    const words = document.createElement("p");
    words.textContent = text;
    const again = document.createElement("button");
    again.type = "button";
    again.className = "button";
    again.textContent = "Load again";
    again.addEventListener("click", loadAgain);
    const box = document.createElement("div");
    box.setAttribute("role", "alert");
    box.dataset.loading = "";
    box.append(words, again);
    place.replaceWith(box);
    return true;
  }

  function breakOff() {
    const waitMs = WAITS_MS[timesBefore()];
    const next = waitMs === undefined ? "" : ` It is loaded again in ${waitMs / 1000} s.`;
    if (!say(`This page could not be loaded whole: the connection to the server broke off.${next}`)) return;
    if (waitMs !== undefined) setTimeout(loadAgain, waitMs);
    addEventListener("online", loadAgain);
  }

  // Errors of elements do not rise: they are heard on their way down.
  addEventListener(
    "error",
    ({ target }) => {
      if (!(target instanceof Element) || !target.matches("script[type=module], link[rel=stylesheet]") || isBroken)
        return;
      isBroken = true;
      if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", breakOff);
      else breakOff();
    },
    true,
  );
  setTimeout(() => {
    if (!isBroken)
      say("This page is still not loaded: the network or the server is slow, or its scripts do not run here.");
  }, LATE_MS);
})();
