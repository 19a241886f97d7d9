import { readFile, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BeadsMcp } from "../harness/beads-mcp.ts";
import { FolderHere } from "../harness/folder-here.ts";
import { type Ended, ProcessHere } from "../harness/process-here.ts";

let folder: FolderHere;
beforeEach(async () => {
  folder = await FolderHere.make("beads-command");
});
afterEach(() => folder[Symbol.asyncDispose]());

async function beads(
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Ended & { out: string; err: string }> {
  const { HOME = folder.path } = process.env;
  const environment = { HOME, NEST_DATA_DIR: folder.path, NEST_AGENT_NAME: "scanner", ...more };
  await using command = new ProcessHere("nest", ["beads", ...args], environment);
  const ended = await command.ended;
  return { ...ended, out: command.output, err: command.said };
}

async function json(...args: string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await beads([...args, "-json"]);
  expect([code, err]).toEqual([0, ""]);
  return JSON.parse(out) as Record<string, unknown>;
}

test("an agent writes beads down, takes what is ready, and closes it; what waited becomes ready", async () => {
  const parser = await json("create", "write the parser", "-priority", "1", "-ref", "acme/shop#12");
  const manual = await json("create", "write its manual", "-depends-on", String(parser.id));
  expect(await json("ready")).toMatchObject({ total: 1, beads: [{ id: parser.id, actor: "scanner" }] });
  expect(await json("update", String(parser.id), "-status", "in_progress", "-if-status", "open")).toMatchObject({
    status: "in_progress",
  });
  const second = await beads(["update", String(parser.id), "-status", "in_progress", "-if-status", "open"]);
  expect(second.code).toBe(1);
  expect(second.err).toMatch(/^nest beads: error: .* is in another status by now\nnest beads: hint: /);
  await json("close", String(parser.id), "-because", "merged");
  const { out } = await beads(["ready"]);
  expect(out).toBe(`${String(manual.id)}  P2  task      open         write its manual\n`);
  expect(await json("show", String(parser.id))).toMatchObject({
    notes: "merged",
    status: "closed",
    waited_for_by: [manual.id],
  });
});

test("the ledger is in a folder of the agent's own, and another's can be named", async () => {
  await json("create", "mine");
  await beads(["create", "theirs", "-agent", "coder"]);
  const theirs = JSON.parse((await beads(["list", "-agent", "coder", "-json"])).out) as { beads: object[] };
  expect(theirs.beads).toMatchObject([{ title: "theirs", actor: "scanner" }]);
  expect(await json("list")).toMatchObject({ beads: [{ title: "mine" }] });
  expect(await readFile(folder.in("beads/coder/log-00000001.jsonl"), "utf8")).toContain("theirs");
});

test("what an agent was in the middle of is open again after reset", async () => {
  const { id } = await json("create", "half done", "-status", "in_progress");
  await json("create", "closed", "-status", "closed");
  expect(await json("reset", "-in-progress")).toMatchObject({ id, status: "open" });
  expect(await json("ready")).toMatchObject({ total: 1 });
});

test("dependencies that would close a circle are refused", async () => {
  const first = String((await json("create", "first")).id);
  const second = String((await json("create", "second", "-depends-on", first)).id);
  const { code, err } = await beads(["dep", "add", first, second]);
  expect([code, err]).toEqual([1, expect.stringContaining(`${second} already waits for ${first}`)]);
  await json("dep", "remove", second, first);
  expect((await beads(["dep", "add", first, second])).code).toBe(0);
});

test("an export is imported as the same beads, and importing it twice does it once", async () => {
  const first = String((await json("create", "first", "-type", "decision", "-notes", "because")).id);
  await json("create", "second", "-depends-on", first, "-metadata", '{"run":7}');
  await json("update", first, "-status", "done");
  await writeFile(folder.in("issues.jsonl"), (await beads(["export"])).out);
  for (const created of [2, 0]) {
    const { out } = await beads(["import", folder.in("issues.jsonl"), "-agent", "coder", "-json"]);
    expect(JSON.parse(out)).toMatchObject({ created, unchanged: 2 - created, refused: [], dropped: [] });
  }
  const lists = await Promise.all(["scanner", "coder"].map((agent) => beads(["list", "-json", "-agent", agent])));
  expect(JSON.parse(lists[1]?.out ?? "")).toEqual(JSON.parse(lists[0]?.out ?? "x"));
});

test("an agent's CLI reaches the same ledger by the Model Context Protocol", async () => {
  await using mcp = new BeadsMcp(folder.in("beads"), "scanner");
  const hello = await mcp.ask("initialize", { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: {} });
  expect(hello?.result).toMatchObject({ protocolVersion: "2025-03-26", capabilities: { tools: {} } });
  mcp.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  const { result } = (await mcp.ask("tools/list")) ?? {};
  const tools = result?.tools as { name: string; inputSchema: { type: string } }[];
  expect(tools.map(({ name }) => name)).toEqual(["ready", "list", "show", "create", "update", "close", "remember"]);
  expect(tools.every(({ inputSchema }) => inputSchema.type === "object")).toBe(true);
  const bead = await mcp.call("create", { title: "by protocol" });
  expect(await json("list")).toMatchObject({ beads: [{ id: bead?.id, title: "by protocol" }] });
  await json("close", String(bead?.id));
  expect(await mcp.call("show", { id: bead?.id })).toMatchObject({ status: "closed", waits_for: [] });
  expect(await mcp.call("ready")).toEqual({ beads: [], total: 0 });
});

test.each([
  ["a tool that there is not", { name: "drop", arguments: {} }, { error: { code: -32602 } }],
  ["a bead without a title", { name: "create", arguments: {} }, { result: { isError: true } }],
  ["a key that there is not", { name: "ready", arguments: { all: true } }, { result: { isError: true } }],
  ["a bead that there is not", { name: "close", arguments: { id: "nest-0" } }, { result: { isError: true } }],
])("the model is told when it calls for %s", async (_, params, expected) => {
  await using mcp = new BeadsMcp(folder.in("beads"), "scanner");
  expect(await mcp.ask("tools/call", params)).toMatchObject(expected);
});

test("messages that are none are answered as JSON-RPC says, and the next one is heard", async () => {
  await using mcp = new BeadsMcp(folder.in("beads"), "scanner");
  mcp.write(`not json\n[]\n{"jsonrpc":"1.0","id":1,"method":"ping"}\n${"x".repeat(3_000_000)}\n\n`);
  expect(await mcp.ask("ping")).toMatchObject({ result: {} });
  expect(await mcp.ask("resources/list")).toMatchObject({ error: { code: -32601 } });
  expect(mcp.unasked.map(({ error }) => error?.code)).toEqual([-32700, -32600, -32600, -32600]);
});
