// Sign-in by device flow: shows the code, asks the hub how it stands until the person has typed it at the code host.
const begin = document.getElementById("begin");
const state = document.getElementById("state");

async function ask(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body ?? {}),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.hint ? `${answer.error}: ${answer.hint}` : answer.error);
  return answer;
}

const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

async function signIn() {
  const login = await ask("/api/auth/device/start");
  const where = document.getElementById("where");
  where.href = login.verification_uri;
  where.textContent = login.verification_uri.replace(/^https?:\/\//, "");
  document.getElementById("user-code").textContent = login.user_code;
  document.getElementById("code").hidden = false;
  state.textContent = "Waiting for you there…";
  for (let interval = login.interval; ; ) {
    await sleep(interval);
    const now = await ask("/api/auth/device/poll", { login_id: login.login_id });
    if (now.status === "complete") return;
    if (now.status !== "pending")
      throw new Error(now.status === "denied" ? "It was declined there." : "The code ran out.");
    interval = now.interval ?? interval;
  }
}

begin?.addEventListener("click", async () => {
  begin.disabled = true;
  try {
    await signIn();
    state.textContent = "Signed in.";
    location.assign(begin.dataset.to ?? "/");
  } catch (thrown) {
    state.textContent = thrown instanceof Error ? thrown.message : "That did not work.";
    begin.disabled = false;
  }
});
