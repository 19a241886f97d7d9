// Says who is signed in, in the place of the link that leads to signing in, and shows them the pages that are theirs.
const link = document.querySelector(".sign-in");

async function showWho() {
  const response = await fetch("/api/auth/user", { headers: { accept: "application/json" } });
  const who = await response.json();
  if (!who.authenticated) return;
  for (const own of document.querySelectorAll("[data-personal]")) own.hidden = false;
  const login = who.login ?? "admin";
  link.textContent = login;
  link.href = "/operations";
  link.dataset.signedIn = "";
  link.setAttribute("aria-label", `Signed in as ${login}: to the operations page`);
}

// A hub that does not answer just now leaves the link as it is: signing in is right without this.
if (link !== null) showWho().catch(() => undefined);
