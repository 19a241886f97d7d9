import "./terminal.css";
import { FitAddon } from "@xterm/addon-fit";
import { openTerminal } from "../../shared/terminal/terminal.ts";
import { type ConnectionState, TerminalConnection } from "./connection.ts";
import { buildFrame } from "./frame.ts";
import { inputFrames, resizeFrame } from "./wire.ts";

const agent = new URLSearchParams(location.search).get("arg")?.replace(/^nest-/, "") ?? "";
const frame = buildFrame(agent);
const terminal = openTerminal(frame.screen, {
  fontSize: matchMedia("(max-width: 40rem)").matches ? 12 : 14,
  scrollback: 5000,
  cursorBlink: !matchMedia("(prefers-reduced-motion: reduce)").matches,
});
const fit = new FitAddon();
terminal.loadAddon(fit);

const address = new URL(`/terminal/ws?arg=nest-${encodeURIComponent(agent)}`, location.href);
address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
const connection = new TerminalConnection(address.href, { onState: show, onFrame });

terminal.onData((typed) => {
  for (const one of inputFrames(typed)) connection.send(one);
});
terminal.onResize(({ cols, rows }) => connection.send(resizeFrame(cols, rows)));
new ResizeObserver(() => fit.fit()).observe(frame.screen);
window.addEventListener("online", () => connection.hurry());
frame.retry.addEventListener("click", () => connection.hurry());
connection.open();

function onFrame(said: Parameters<ConstructorParameters<typeof TerminalConnection>[1]["onFrame"]>[0]): void {
  switch (said.kind) {
    case "output":
      terminal.write(said.bytes, drawn(connection.hold(said.bytes.length)));
      return;
    case "title":
      document.title = `${said.title} · Terminal`;
      return;
    case "preferences":
      terminal.options.disableStdin = said.isReadOnly;
      frame.setReadOnly(said.isReadOnly);
      return;
    case "unknown":
      return;
  }
}

function drawn(done: () => void): () => void {
  return () => {
    done();
    frame.setBlank(isBlank());
  };
}

/** Whether no line that is in view has anything on it. */
function isBlank(): boolean {
  const { active } = terminal.buffer;
  for (let row = 0; row < terminal.rows; row += 1)
    if (
      active
        .getLine(active.baseY + row)
        ?.translateToString(true)
        .trim()
    )
      return false;
  return true;
}

function show(state: ConnectionState): void {
  frame.show(state);
  if (state.kind !== "open") return;
  terminal.reset();
  frame.setBlank(true);
  fit.fit();
  connection.send(resizeFrame(terminal.cols, terminal.rows));
  terminal.focus();
}
