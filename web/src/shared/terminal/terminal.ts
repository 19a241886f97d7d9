import "@xterm/xterm/css/xterm.css";
import "./terminal.css";
import { type ITerminalOptions, Terminal } from "@xterm/xterm";
import { styleNonce } from "../shell/style-nonce.ts";
import { policyDocument, withPolicyElements } from "./policy-document.ts";

/** Colours of every terminal, the same in the light and the dark scheme: programs choose theirs for a dark ground. */
const theme = {
  background: "#101214",
  foreground: "#d7dbdf",
  cursor: "#79c9b1",
  cursorAccent: "#101214",
  selectionBackground: "#2f4a43",
  black: "#282c31",
  brightBlack: "#8b939d",
  red: "#f0907f",
  brightRed: "#f7b0a3",
  green: "#79c9b1",
  brightGreen: "#a9d6c9",
  yellow: "#e5b667",
  brightYellow: "#f0cf98",
  blue: "#7fb2f0",
  brightBlue: "#a8ccf7",
  magenta: "#cf9fe8",
  brightMagenta: "#e0c2f1",
  cyan: "#74c7d4",
  brightCyan: "#a4dde6",
  white: "#c9ced3",
  brightWhite: "#ffffff",
};

/** Opens a terminal in the house's colours in an element. Whoever opens it disposes of it. */
export function openTerminal(box: HTMLElement, options: ITerminalOptions): Terminal {
  const terminal = new Terminal({
    fontFamily: 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
    fontSize: 13,
    // A link in what a program prints is text: nobody is led away by it.
    linkHandler: { activate: () => undefined },
    documentOverride: policyDocument(styleNonce),
    theme,
    ...options,
  });
  withPolicyElements(styleNonce, () => terminal.open(box));
  return terminal;
}
