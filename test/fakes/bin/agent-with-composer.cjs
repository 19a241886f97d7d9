#!/usr/bin/env node
// Poses as a CLI with a composer: what is pasted is one text, Enter submits it, any other key is a command of the user. It writes
// each submit and each key to FAKE_KEYS_FILE, as JSON lines.
const { appendFileSync } = require("node:fs");

if (process.argv[2] === "--version") {
  console.log("agent-with-composer 1.2.3");
  process.exit(0);
}
const [BEGIN, END] = ["\u001b[200~", "\u001b[201~"];
const note = (what) => appendFileSync(process.env.FAKE_KEYS_FILE, `${JSON.stringify(what)}\n`);
let [input, draft, isPasting] = ["", "", false];

function submit() {
  if (draft === "") return;
  note({ submitted: draft });
  draft = "";
  process.stdout.write("working\r\n");
  setTimeout(() => process.stdout.write("NEST_VERDICT: complete\r\n> "), 500);
}

function take() {
  while (input !== "") {
    const mark = isPasting ? END : BEGIN;
    if (input.startsWith(mark)) {
      isPasting = !isPasting;
      input = input.slice(mark.length);
    } else if (mark.startsWith(input) && input.length < mark.length && input.startsWith("\u001b")) return;
    else {
      const key = input[0];
      input = input.slice(1);
      if (isPasting) draft += key;
      else if (key === "\r") submit();
      else note({ key });
    }
  }
  if (draft !== "") process.stdout.write(`[${draft.length} pasted]\r\n`);
}

process.stdin.setRawMode(true);
process.stdin.setEncoding("utf8").on("data", (piece) => {
  input += piece;
  take();
});
process.stdout.write("\u001b[?2004h> ");
