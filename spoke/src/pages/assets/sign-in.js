// Sign-in by device flow: shows the code, and asks the nest how it stands until the person has typed it in at the code host.
const begin = document.getElementById("begin");
const copy = document.getElementById("copy");
const signOut = document.getElementById("sign-out");
const state = document.getElementById("state");
const code = document.getElementById("user-code");

async function ask(path) {
  const response = await fetch(`/api/gh-user-auth/${path}`, { method: "POST" });
  const answer = await response.json().catch(() => ({ error: "the nest did not answer as expected" }));
  if (response.status === 429)
    return { status: "slow_down", interval: Number(response.headers.get("retry-after")) || 5 };
  if (!response.ok) throw new Error(answer.hint ? `${answer.error}: ${answer.hint}` : answer.error);
  return answer;
}

const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

async function signIn() {
  const flow = await ask("start");
  if (flow.user_code === undefined) throw new Error("too many sign-ins: wait a minute and try again");
  const where = document.getElementById("where");
  where.href = flow.verification_uri;
  where.textContent = flow.verification_uri.replace(/^https?:\/\//, "");
  code.textContent = flow.user_code;
  document.getElementById("code").hidden = false;
  state.textContent = "Waiting for you there…";
  for (let interval = flow.interval; ; ) {
    await sleep(interval);
    const now = await ask("poll");
    if (now.status === "complete") return now;
    if (now.status === "error") throw new Error(now.error);
    interval = now.interval ?? interval;
  }
}

begin?.addEventListener("click", async () => {
  begin.disabled = true;
  try {
    const { username } = await signIn();
    document.getElementById("code").hidden = true;
    state.textContent = `Done: signed in as ${username}.`;
    location.assign(begin.dataset.to ?? "/");
  } catch (thrown) {
    document.getElementById("code").hidden = true;
    state.textContent = thrown instanceof Error ? thrown.message : "That did not work.";
    begin.disabled = false;
    begin.focus();
  }
});

copy?.addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(code.textContent);
    copy.textContent = "Copied";
  } catch {
    // Without https there is no clipboard for scripts: the code is selected, to be copied by hand.
    getSelection()?.selectAllChildren(code);
    copy.textContent = "Selected";
  }
});

signOut?.addEventListener("click", async () => {
  signOut.disabled = true;
  try {
    await ask("logout");
    location.reload();
  } catch (thrown) {
    state.textContent = thrown instanceof Error ? thrown.message : "That did not work.";
    signOut.disabled = false;
  }
});
