/** What an agent CLI has told its model so far, whichever wire it speaks. */
export interface Talk {
  /** Everything that people and programs wrote, the task's prompt among it. */
  readonly prompt: string;
  /** The output of the commands that the model asked for, in order. */
  readonly results: readonly string[];
}

/** What the model does next: run a shell command, or end with a final text. */
export type Turn = { readonly run: string } | { readonly say: string };

export type Script = (talk: Talk) => Turn;

/** The text of a content field, which is a text or a list of blocks. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block: { text?: unknown }) => (typeof block?.text === "string" ? block.text : "")).join("\n");
}

/** One server-sent event. */
export function serverSent(event: { readonly type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
