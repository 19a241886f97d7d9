import { readFile } from "node:fs/promises";
import { seededRandom } from "@nest/kit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AgentSession } from "../harness/agent-session.ts";
import type { SpokeHere } from "../harness/spoke-here.ts";
import { signedIn, standaloneSpoke } from "../harness/standalone-spoke.ts";
import { VisitorHere } from "../harness/visitor-here.ts";

const MEGABYTE = 1024 * 1024;

describe("the terminal of an agent", { timeout: 90_000 }, () => {
  let spoke: SpokeHere;
  let ada: VisitorHere;
  let may: VisitorHere;
  let session: AgentSession;
  beforeAll(async () => {
    spoke = await standaloneSpoke(["ada:owner", "may:merger", "wren:read-write", "rob:read"]);
    ada = await signedIn(spoke, "ada");
    may = await signedIn(spoke, "may");
    session = new AgentSession(spoke.dataFolder, "scanner");
  }, 60_000);
  afterAll(() => spoke[Symbol.asyncDispose]());

  const opened = async (visitor: VisitorHere) => {
    const terminal = visitor.terminal("nest-scanner");
    expect(await terminal.outcome).toBe("open");
    await expect.poll(() => terminal.bytes).toBeGreaterThan(0);
    return terminal;
  };
  const memoryOfNest = async () =>
    Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${spoke.process.pid}/status`, "utf8"))?.[1]) * 1024;

  test("opens for several who come at the same moment, also as the first", async () => {
    for (const { socket } of await Promise.all([opened(ada), opened(may), opened(ada)])) socket.close();
  });

  test("is writable for an owner, by the subprotocol tty", async () => {
    const terminal = await opened(ada);
    expect([terminal.socket.protocol, terminal.title, terminal.preferences]).toEqual([
      "tty",
      "scanner",
      '{"disableStdin":false}',
    ]);
    terminal.type("hello from ada\r");
    await terminal.shows(/hello from ada/);
    terminal.socket.close();
  });

  test("is the same for everybody, and read-only for read-write and merger, whatever their page sends", async () => {
    const wren = await signedIn(spoke, "wren");
    const [owner, ...lookers] = await Promise.all([opened(ada), opened(may), opened(wren)]);
    for (const looker of lookers) {
      expect(looker.preferences).toBe('{"disableStdin":true}');
      looker.type("forged by a looker\r");
    }
    owner.type("typed by the owner\r");
    for (const terminal of [owner, ...lookers]) {
      await terminal.shows(/typed by the owner/);
      expect(terminal.output).not.toContain("forged by a looker");
      terminal.socket.close();
    }
  });

  test("takes the size of its owner's window, within what can be drawn", async () => {
    const terminal = await opened(ada);
    terminal.resize(101, 33);
    await expect.poll(() => session.fact("window_width")).toBe("101");
    terminal.resize(100_000, -5);
    await expect.poll(() => session.fact("window_width")).toBe("500");
    const looker = await opened(may);
    looker.resize(40, 10);
    terminal.resize(120, 40);
    await expect.poll(() => session.fact("window_width")).toBe("120");
    for (const one of [terminal, looker]) one.socket.close();
  });

  test("goes on when its viewers leave", async () => {
    session.run("echo started; exec cat -");
    const program = session.fact("pane_pid");
    const viewers = await Promise.all([opened(ada), opened(may)]);
    viewers[0]?.socket.terminate();
    viewers[1]?.socket.close();
    await Promise.all(viewers.map(({ closed }) => closed));
    await (await opened(ada)).shows(/started/);
    expect(session.fact("pane_pid")).toBe(program);
  });

  test("gives its owner no keys of the multiplexer, which could start programs outside of the agent's sandbox", async () => {
    const terminal = await opened(ada);
    terminal.type("\u0002c");
    terminal.type("\u0002:run-shell 'touch escaped'\r");
    terminal.type("still here\r");
    await terminal.shows(/still here/);
    expect(session.fact("session_windows")).toBe("1");
    terminal.socket.close();
  });

  test("survives frames of any bytes", async () => {
    const terminal = await opened(ada);
    session.run("stty raw -echo; exec cat >/dev/null");
    // Before that, one of the bytes would be the key that ends the shell.
    await expect.poll(() => session.fact("pane_current_command")).toBe("cat");
    // The same bytes at each run, so that a fault can be looked at again.
    const random = seededRandom(1);
    for (let nth = 0; nth < 500; nth += 1) terminal.socket.send(Buffer.from(random.hex(1 + (nth % 300)), "hex"));
    for (const text of ["", "1", "1{", "1null", '1{"columns":"x"}', "{", "{}", "9", "1[1,2]"])
      terminal.socket.send(text);
    // One of them may have asked for a pause.
    terminal.socket.send("3");
    session.run("echo after the garbage; exec cat -");
    await terminal.shows(/after the garbage/);
    terminal.socket.close();
  });

  test("makes an agent's flood wait for a viewer that does not read, in bounded memory", async () => {
    const terminal = await opened(ada);
    const before = await memoryOfNest();
    terminal.socket.pause();
    session.run(`head -c ${100 * MEGABYTE} /dev/zero | tr '\\0' x; echo; echo the flood is over; exec cat -`);
    await expect.poll(() => session.fact("pane_current_command"), { timeout: 60_000 }).toBe("cat");
    expect((await memoryOfNest()) - before).toBeLessThan(60 * MEGABYTE);
    terminal.socket.resume();
    await terminal.shows(/the flood is over/);
    terminal.socket.close();
  });

  test("shows a megabyte a second as it comes, and answers its owner meanwhile", async () => {
    const terminal = await opened(ada);
    const begun = terminal.bytes;
    // A large window, as in a browser: the multiplexer draws anew what comes faster than a few screens at once.
    terminal.resize(220, 60);
    await expect.poll(() => session.fact("window_width")).toBe("220");
    const line = "a line of a long output that goes on and on, and of which every byte is shown";
    const printer = `let n = 0; setInterval(() => { let all = ""; while (all.length < 5000) all += ++n + " ${line}\\n"; process.stdout.write(all); }, 4)`;
    session.run(
      `stty -echo; '${process.execPath}' -e '${printer}' & while read -r line; do echo "heard <$line>"; done`,
    );
    const heard = new Set<string>();
    terminal.socket.on("message", (frame) => {
      for (const [, word = ""] of String(frame).matchAll(/heard <(\w+)>/g)) heard.add(word);
    });
    for (const word of ["one", "two", "three"]) {
      const before = terminal.bytes;
      await expect.poll(() => terminal.bytes - before, { timeout: 30_000 }).toBeGreaterThan(MEGABYTE);
      // Typed again until it is seen: what scrolls out between two drawings of a busy machine is not drawn.
      const answered = () => {
        terminal.type(`${word}\r`);
        return heard.has(word);
      };
      await expect.poll(answered, { timeout: 30_000 }).toBe(true);
    }
    expect(terminal.bytes - begun).toBeGreaterThan(3 * MEGABYTE);
    session.run("exec cat -");
    terminal.socket.close();
  });

  test("stops reading for a viewer that asks it to, and goes on when told so", async () => {
    const terminal = await opened(ada);
    session.run("stty -echo; while read -r line; do echo heard $line; done");
    terminal.socket.send("2");
    terminal.type("one\r");
    terminal.socket.send("3");
    await terminal.shows(/heard one/);
    terminal.socket.close();
  });

  test("ends with the session of who looks on, and when their role is taken away", async () => {
    const wren = await signedIn(spoke, "wren");
    const terminals = [await opened(wren), await opened(may)];
    await wren.ask("POST", "/api/gh-user-auth/logout");
    expect(await terminals[0]?.closed).toEqual({ code: 1008, reason: "no longer allowed" });
    await ada.ask("PUT", "/api/config/authorized-users", { users: ["ada:owner", "may:read"] });
    expect(await terminals[1]?.closed).toEqual({ code: 1008, reason: "no longer allowed" });
    expect(await may.terminal("nest-scanner").outcome).toBe(403);
    await ada.ask("PUT", "/api/config/authorized-users", { users: ["ada:owner", "may:merger"] });
  });

  test("is served on both ports of the nest, with a list of the agents", async () => {
    const [, port = ""] = /"terminal":"([^"]+)"/.exec(spoke.process.said) ?? [];
    const there = new VisitorHere(port);
    for (const [name, value] of ada.cookies) there.setCookie(name, value);
    await opened(there).then(({ socket }) => socket.close());
    expect((await there.ask("GET", "/")).text).toContain('href="/terminal/?arg=nest-scanner"');
    for (const visitor of [there, ada]) {
      const list = await visitor.ask("GET", "/terminal/");
      expect([list.status, list.text]).toEqual([200, expect.stringContaining("/terminal/?arg=nest-scanner")]);
      const page = await visitor.ask("GET", "/terminal/?arg=nest-scanner");
      expect(page.headers.get("content-security-policy")).toContain("script-src 'self'; style-src 'self' 'nonce-");
      expect((await visitor.ask("GET", "/terminal/?arg=nest-nobody")).status).toBe(404);
    }
  });

  test("closes when the nest stops, without holding it up", async () => {
    const terminal = await opened(ada);
    spoke.process.signal("SIGTERM");
    expect(await terminal.closed).toEqual({ code: 1012, reason: "the nest is stopping" });
    expect(await spoke.process.ended).toEqual({ code: 0, signal: null });
  });
});
