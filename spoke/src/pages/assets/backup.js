// The owner's backup page. All text is inserted as text; the key leaves this page once, in the request that saves it.
const at = (id) => document.getElementById(id);
const KEY = "/api/config/governor/backup";
let going;

async function ask(path, options = {}) {
  const response = await fetch(path, { headers: { accept: "application/json" }, ...options });
  const answer = await response.json();
  if (!response.ok) throw new Error([answer.error, answer.hint].filter(Boolean).join("; "));
  return answer;
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
    at("status").textContent = status.available
      ? "A backup can be made now."
      : (status.reason ?? "There is no backup key.");
    at("key-state").textContent = keyWords(key);
    at("remove").hidden = !key.configured;
    at("save").textContent = key.configured ? "Replace key" : "Save key";
  } catch (thrown) {
    at("status").textContent = `Could not look: ${thrown.message}`;
  }
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
    const response = await fetch("/api/backup", { method: "POST", signal: going.signal });
    if (!response.ok) throw new Error((await response.json()).error);
    const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "nest-backup.enc";
    const blob = await received(response);
    save(blob, name);
    const files = response.headers.get("x-nest-backup-files");
    at("outcome").textContent = `${name}: ${files} files, ${size(blob.size)}.`;
  } catch (thrown) {
    at("outcome").textContent = thrown.name === "AbortError" ? "Stopped." : `No backup: ${thrown.message}`;
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
