// The owner's backup page. All text is inserted as text; the key leaves this page once, in the request that saves it.
const at = (id) => document.getElementById(id);
const KEY = "/api/config/governor/backup";
let going;

/** What an address answers, as data. @throws Error with a sentence for people that says what to do next. */
async function ask(path, options = {}) {
  const response = await answerOf(path, { headers: { accept: "application/json" }, ...options });
  return response.json().catch(() => {
    throw new Error("The nest did not answer as this page expects. Reload the page.");
  });
}

async function answerOf(path, options) {
  const response = await fetch(path, options).catch((thrown) => {
    if (thrown.name === "AbortError") throw thrown;
    throw new Error("The nest cannot be reached. Look whether it runs, and try again.");
  });
  if (response.ok) return response;
  const { error, hint } = await response.json().catch(() => ({}));
  if (response.status === 401) throw new Error("You are signed out. Sign in again, and come back to this page.");
  if (response.status === 403) throw new Error("Only the owner of this nest may do this. Ask them for a backup.");
  if (error === undefined) throw new Error(`The nest answered with status ${response.status}. Try again in a minute.`);
  throw new Error([error, hint].filter(Boolean).map(sentence).join(" "));
}

/** The words of an answer as a sentence: they begin with a small letter and end with nothing. */
function sentence(words) {
  const text = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function json(method, body) {
  return {
    method,
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body),
  };
}

async function look() {
  try {
    const [status, key] = await Promise.all([ask("/api/backup/status"), ask(KEY)]);
    at("make").disabled = !status.available;
    at("status").textContent = statusWords(status, key);
    at("key-state").textContent = keyWords(key);
    at("remove").hidden = !key.configured;
    at("save").textContent = key.configured ? "Replace key" : "Save key";
  } catch (thrown) {
    at("make").disabled = true;
    at("status").textContent = `It is not known whether a backup can be made. ${thrown.message}`;
    at("key-state").textContent = "It is not known whether there is a key.";
  }
}

function statusWords({ available, reason }, key) {
  if (available) return "A backup can be made now.";
  if (!key.configured)
    return "No backup can be made yet, because there is no key. Make a new key below, or save one that you have.";
  const because = key.reason || reason || "its key cannot be used";
  return `No backup can be made: ${because}. Save a key below that can be used, or correct the one from ${key.source}.`;
}

function keyWords({ configured, usable, source, keyName, reason }) {
  if (!configured) return "No key is set: backups are refused, nothing is ever written unencrypted.";
  const label = keyName === "" ? "" : ` “${keyName}”`;
  return usable ? `A key${label} is set, from ${source}.` : `The key from ${source} cannot be used: ${reason}.`;
}

at("key-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const replacing = at("save").textContent === "Replace key";
  if (replacing && !confirm("Older archives keep needing the old key. Do you have it somewhere safe?")) return;
  const keyName = at("key-name").value;
  const body = { encryptionKey: at("encryption-key").value, ...(keyName === "" ? {} : { keyName }) };
  try {
    await ask(KEY, json("PUT", body));
    at("encryption-key").value = "";
    at("encryption-key").type = "password";
    at("key-outcome").textContent = "Saved. Keep a copy of the key somewhere else.";
  } catch (thrown) {
    at("key-outcome").textContent = thrown.message;
  }
  await look();
});

at("generate").addEventListener("click", () => {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  at("encryption-key").type = "text";
  at("encryption-key").value = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  at("encryption-key").select();
  at("key-outcome").textContent = "Copy this key to a safe place, then save it.";
});

at("remove").addEventListener("click", async () => {
  if (!confirm("Without a key no backup can be made, and archives made with it still need it. Remove it?")) return;
  try {
    const left = await ask(KEY, { method: "DELETE" });
    at("key-outcome").textContent = left.configured ? `Removed here. A key remains: ${left.source}.` : "Removed.";
  } catch (thrown) {
    at("key-outcome").textContent = thrown.message;
  }
  await look();
});

at("stop").addEventListener("click", () => going?.abort());

at("make").addEventListener("click", async () => {
  going = new AbortController();
  busy(true);
  at("outcome").textContent = "";
  try {
    const response = await answerOf("/api/backup", { method: "POST", signal: going.signal });
    const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "nest-backup.enc";
    const blob = await received(response);
    save(blob, name);
    const files = response.headers.get("x-nest-backup-files");
    at("outcome").textContent = `${name}: ${files} files, ${size(blob.size)}.`;
  } catch (thrown) {
    at("outcome").textContent = thrown.name === "AbortError" ? "Stopped." : `No backup was made. ${thrown.message}`;
  }
  busy(false);
});

async function received(response) {
  const parts = [];
  let bytes = 0;
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts, { type: "application/octet-stream" });
    parts.push(value);
    bytes += value.length;
    at("outcome").textContent = `${size(bytes)} received …`;
  }
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function busy(on) {
  at("make").disabled = on;
  at("stop").hidden = !on;
  at("progress").hidden = !on;
}

function size(bytes) {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

await look();
