import { serverSent, type Talk, type Turn, textOf } from "./talk.ts";

interface Item {
  readonly type?: string;
  readonly content?: unknown;
  readonly output?: unknown;
}

interface Request {
  readonly tools?: readonly { readonly name?: string; readonly type?: string }[];
  readonly input?: readonly Item[];
}

/** How each shell tool wants to be called. */
const SHELLS: Readonly<Record<string, (command: string) => object>> = {
  exec_command: (cmd) => ({ cmd, yield_time_ms: 20_000 }),
  shell_command: (command) => ({ command, timeout_ms: 20_000 }),
  shell: (command) => ({ command: ["bash", "-c", command], timeout_ms: 20_000 }),
};

function shellOf(request: Request): string | undefined {
  return request.tools?.map(({ name = "" }) => name).find((name) => Object.hasOwn(SHELLS, name));
}

/** Reads a request of the responses wire; undefined where the CLI asks something on the side, without its shell. */
export function readResponses(request: Request): Talk | undefined {
  if (shellOf(request) === undefined) return undefined;
  const input = request.input ?? [];
  return {
    prompt: input.map(({ content }) => textOf(content)).join("\n"),
    results: input
      .filter(({ type }) => type === "function_call_output")
      .map(({ output }) => (typeof output === "string" ? output : textOf(output))),
  };
}

/** The answer as the wire's events. */
export function answerResponses(request: Request, turn: Turn, id: string): { type: string; body: string } {
  const shell = shellOf(request) ?? "shell";
  const item =
    "say" in turn
      ? {
          type: "message",
          id: `msg_${id}`,
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: turn.say, annotations: [] }],
        }
      : {
          type: "function_call",
          id: `fc_${id}`,
          call_id: `call_${id}`,
          name: shell,
          arguments: JSON.stringify(SHELLS[shell]?.(turn.run)),
          status: "completed",
        };
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  const response = { id: `resp_${id}`, object: "response" };
  const events = [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { ...response, status: "completed", output: [item], usage } },
  ];
  return { type: "text/event-stream", body: events.map(serverSent).join("") };
}
