// Loaded before the page is painted, so that it never shows in the other colours first. The choice is kept where the browser
// app keeps it; without one the system's setting counts.
(() => {
  const KEY = "nest-colour-scheme";
  const choices = ["auto", "light", "dark"];

  function choice() {
    try {
      const kept = localStorage.getItem(KEY) ?? "auto";
      return choices.includes(kept) ? kept : "auto";
    } catch {
      return "auto"; // The browser keeps nothing for this page.
    }
  }

  function apply() {
    const chosen = choice();
    const root = document.documentElement;
    if (chosen === "auto") root.removeAttribute("data-mantine-color-scheme");
    else root.setAttribute("data-mantine-color-scheme", chosen);
    for (const place of document.querySelectorAll(".scheme-switch")) {
      place.dataset.choice = chosen;
      place.querySelector("select").value = chosen;
    }
  }

  apply();
  document.addEventListener("DOMContentLoaded", () => {
    for (const select of document.querySelectorAll(".scheme-switch select"))
      select.addEventListener("change", () => {
        try {
          localStorage.setItem(KEY, select.value);
        } catch {
          // The choice then lasts as long as nothing is chosen: not at all.
        }
        apply();
      });
    apply();
  });
  // Another tab chose.
  addEventListener("storage", ({ key }) => key === KEY && document.querySelector(".scheme-switch") && apply());
})();
