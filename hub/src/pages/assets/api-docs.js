// Finds routes of the API page while one types, and opens the one that the address names. The page works without it.
const search = document.getElementById("api-search");
const found = document.getElementById("api-found");
const routes = [...document.querySelectorAll(".api-route")];

function show() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let matching = 0;
  for (const route of routes) {
    const isWanted = words.every((word) => route.dataset.words.includes(word));
    route.hidden = !isWanted;
    if (isWanted) matching += 1;
  }
  for (const section of document.querySelectorAll("main section")) {
    const own = [...section.querySelectorAll(".api-route")];
    section.hidden = words.length > 0 && own.every((route) => route.hidden);
  }
  found.textContent = words.length === 0 ? "" : `${matching} of ${routes.length}`;
}

function openNamed() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named?.matches("details")) named.open = true;
  named?.scrollIntoView();
}

search.closest("p").hidden = false;
search.addEventListener("input", show);
addEventListener("hashchange", openNamed);
openNamed();
