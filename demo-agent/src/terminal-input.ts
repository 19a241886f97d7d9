/** A line end that nothing follows for so long is the Enter that sends the prompt; others belong to its text. */
const SETTLE_MS = 300;

export interface Terminal {
  readonly isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
  setEncoding(encoding: "utf8"): unknown;
  on(event: "data" | "end", act: (chunk: string) => void): unknown;
}

/**
 * Reads prompts as they are typed or pasted, of many lines too. `onPrompt` gets each, `onEnd` is called at the end of the input or
 * Ctrl-D, and with `interrupted` at Ctrl-C.
 */
export function readPrompts(
  input: Terminal,
  echo: (text: string) => void,
  on: { readonly prompt: (text: string) => void; readonly end: (interrupted: boolean) => void },
): void {
  let text = "";
  let timer: NodeJS.Timeout | undefined;
  const send = () => {
    const prompt = text.trim();
    text = "";
    on.prompt(prompt);
  };
  input.setEncoding("utf8");
  // Raw, because a terminal in line mode cuts lines at 4096 bytes.
  if (input.isTTY === true) input.setRawMode?.(true);
  input.on("data", (chunk) => {
    clearTimeout(timer);
    if (chunk.includes("\u0003")) return on.end(true);
    if (chunk.includes("\u0004") && text === "") return on.end(false);
    // Pastes come between these two marks.
    const clean = chunk.replaceAll("\u001b[200~", "").replaceAll("\u001b[201~", "").replace(/\r\n?/g, "\n");
    for (const character of clean) text = character === "\u007f" ? text.slice(0, -1) : text + character;
    if (input.isTTY === true) echo(clean.replaceAll("\u007f", "\b \b").replaceAll("\n", "\r\n"));
    if (text.endsWith("\n")) timer = setTimeout(send, SETTLE_MS);
  });
  input.on("end", () => {
    clearTimeout(timer);
    if (text.trim() !== "") send();
    on.end(false);
  });
}
