import { serverSent, type Talk, type Turn, textOf } from "./talk.ts";

interface Request {
  readonly model?: string;
  readonly stream?: boolean;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[];
}

const SHELL = "Bash";

/** Reads a request of the messages wire; undefined where the CLI asks something on the side, without its shell. */
export function readMessages(request: Request): Talk | undefined {
  if (request.tools?.some(({ name }) => name === SHELL) !== true) return undefined;
  const blocks = (request.messages ?? []).flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return {
    prompt: (request.messages ?? []).map(({ content }) => textOf(content)).join("\n"),
    results: blocks.filter(({ type }) => type === "tool_result").map(({ content }) => textOf(content)),
  };
}

/** The answer, as the wire has it: a stream of events, or one document where none was asked for. */
export function answerMessages(request: Request, turn: Turn, id: string): { type: string; body: string } {
  const block =
    "say" in turn
      ? { type: "text", text: turn.say }
      : { type: "tool_use", id: `toolu_${id}`, name: SHELL, input: { command: turn.run, description: "a step" } };
  const stop = "say" in turn ? "end_turn" : "tool_use";
  const message = {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model: request.model ?? "scripted-1",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  if (request.stream !== true)
    return { type: "application/json", body: JSON.stringify({ ...message, content: [block], stop_reason: stop }) };
  const [empty, delta] =
    "say" in turn
      ? [
          { type: "text", text: "" },
          { type: "text_delta", text: turn.say },
        ]
      : [
          { ...block, input: {} },
          { type: "input_json_delta", partial_json: JSON.stringify((block as { input: unknown }).input) },
        ];
  const events = [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: empty },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ];
  return { type: "text/event-stream", body: events.map(serverSent).join("") };
}
