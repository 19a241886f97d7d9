import { type Talk, type Turn, textOf } from "./talk.ts";

interface Request {
  readonly model?: string;
  readonly stream?: boolean;
  readonly tools?: readonly { readonly function?: { readonly name?: string } }[];
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[];
}

const SHELL = "bash";

/**
 * Reads a request of the completions wire; undefined where the CLI asks something on the side, without its shell.
 *
 * @param hasShell whether the CLI has one at all.
 */
export function readCompletions(request: Request, hasShell: boolean): Talk | undefined {
  if (hasShell && request.tools?.some((tool) => tool.function?.name === SHELL) !== true) return undefined;
  const messages = request.messages ?? [];
  return {
    prompt: messages.map(({ content }) => textOf(content)).join("\n"),
    results: messages.filter(({ role }) => role === "tool").map(({ content }) => textOf(content)),
  };
}

/** The answer, as the wire has it: chunks of a stream, or one document where none was asked for. */
export function answerCompletions(request: Request, turn: Turn, id: string): { type: string; body: string } {
  const call = (command: string) => ({
    id: `call_${id}`,
    type: "function",
    function: { name: SHELL, arguments: JSON.stringify({ command, description: "a step" }) },
  });
  const said = "say" in turn ? { content: turn.say } : { content: null, tool_calls: [call(turn.run)] };
  const finish_reason = "say" in turn ? "stop" : "tool_calls";
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const shared = { id: `chat_${id}`, created: 0, model: request.model ?? "scripted-1" };
  if (request.stream !== true) {
    const choices = [{ index: 0, message: { role: "assistant", ...said }, finish_reason }];
    return { type: "application/json", body: JSON.stringify({ ...shared, object: "chat.completion", choices, usage }) };
  }
  const delta = "say" in turn ? said : { content: null, tool_calls: [{ index: 0, ...call(turn.run) }] };
  const chunks = [
    { choices: [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason }], usage },
  ].map((chunk) => JSON.stringify({ ...shared, object: "chat.completion.chunk", ...chunk }));
  return { type: "text/event-stream", body: [...chunks, "[DONE]"].map((line) => `data: ${line}\n\n`).join("") };
}
