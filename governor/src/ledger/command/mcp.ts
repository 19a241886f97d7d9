import { type Environment, NestError, parseFlags, sentenceOf } from "@nest/kit";
import { z } from "zod";
import type { Ledger } from "../ledger.ts";
import { inputLines } from "./input-lines.ts";
import { mcpTools } from "./mcp-tools.ts";
import { type BeadsCommandDeps, openLedger } from "./open-ledger.ts";
import { placeOf } from "./place.ts";

const USAGE = `usage: nest beads mcp [-agent NAME]

Serves one agent's ledger to its CLI by the Model Context Protocol, on standard input and output, until the input ends. Tools: ${Object.keys(mcpTools).join(", ")}.

  claude mcp add beads -- nest beads mcp
`;

/** Versions of the protocol that these messages are right for; the newest is offered to a client that asks for another. */
const VERSIONS = ["2025-06-18", "2025-03-26", "2024-11-05"] as const;

const Request = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
});
type Request = z.infer<typeof Request>;

/** An error of JSON-RPC: the message was no call that could be made. What a tool refuses is an answer of that tool. */
class CallError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** `nest beads mcp`: ends with its input. @throws UsageError, and NestError when the ledger cannot be opened. */
export async function runMcp(args: readonly string[], environment: Environment, deps: BeadsCommandDeps): Promise<void> {
  const { flags, help } = parseFlags(args, { agent: "text" }, USAGE);
  if (help) {
    deps.stdout.write(USAGE);
    return;
  }
  await using ledger = await openLedger(placeOf(environment, flags.agent), deps);
  for await (const line of inputLines(deps.stdin)) {
    const answer =
      line === undefined
        ? problem(null, new CallError(-32600, "the message is too long"))
        : await answerTo(line, ledger);
    if (answer !== undefined) deps.stdout.write(`${JSON.stringify(answer)}\n`);
  }
}

/** The answer to one line of input; undefined where none is due. */
async function answerTo(line: string, ledger: Ledger): Promise<object | undefined> {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return problem(null, new CallError(-32700, "not JSON"));
  }
  const request = Request.safeParse(message).data;
  if (request === undefined)
    return isAnswer(message) ? undefined : problem(null, new CallError(-32600, "not a request"));
  // A notification has no id, and is not answered.
  if (request.id === undefined) return undefined;
  try {
    return { jsonrpc: "2.0", id: request.id, result: await resultOf(request, ledger) };
  } catch (thrown) {
    return problem(request.id, thrown);
  }
}

async function resultOf({ method, params = {} }: Request, ledger: Ledger): Promise<object> {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: VERSIONS.find((version) => version === params.protocolVersion) ?? VERSIONS[0],
        capabilities: { tools: {} },
        serverInfo: { name: "nest-beads", version: "1" },
        instructions:
          "Your work ledger. Call ready for what to do next, take it with update, note what you learn with remember, and close it when it is done. Write down as beads what you find and do not do now.",
      };
    case "ping":
      return {};
    case "tools/list":
      return {
        tools: Object.entries(mcpTools).map(([name, { description, input }]) => ({
          name,
          description,
          inputSchema: schemaOf(input),
        })),
      };
    case "tools/call":
      return callTool(params, ledger);
    default:
      throw new CallError(-32601, "there is no such method");
  }
}

async function callTool({ name, arguments: given = {} }: Record<string, unknown>, ledger: Ledger): Promise<object> {
  const tool = typeof name === "string" && Object.hasOwn(mcpTools, name) ? mcpTools[name] : undefined;
  if (tool === undefined) throw new CallError(-32602, "there is no such tool");
  const input = tool.input.safeParse(given);
  if (!input.success) return refused(z.prettifyError(input.error));
  try {
    await ledger.refresh();
    return { content: [{ type: "text", text: JSON.stringify(await tool.call(ledger, input.data as never)) }] };
  } catch (thrown) {
    if (!(thrown instanceof NestError)) throw thrown;
    return refused([`${thrown.code}: ${thrown.message}`, thrown.hint].filter(Boolean).join("\n"));
  }
}

/** What a tool cannot do is said to the model, which may do better. */
function refused(text: string): object {
  return { content: [{ type: "text", text }], isError: true };
}

function schemaOf(input: z.ZodType): object {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input", unrepresentable: "any" });
  return schema;
}

function isAnswer(message: unknown): boolean {
  return typeof message === "object" && message !== null && ("result" in message || "error" in message);
}

function problem(id: string | number | null, thrown: unknown): object {
  const code = thrown instanceof CallError ? thrown.code : -32603;
  return { jsonrpc: "2.0", id, error: { code, message: sentenceOf(thrown) } };
}
