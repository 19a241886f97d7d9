import { expect, test } from "vitest";
import { NotificationReceivers } from "../harness/notification-receivers.ts";
import { plainSeed } from "../harness/plain-seed.ts";
import { fakeAgent, SPOKE_TOKEN, SpokeHere } from "../harness/spoke-here.ts";

// Whoever writes an issue can make an agent say things, and a nest tells people elsewhere what its agents said. There it is
// read by programs with formats of their own: mentions and links in a chat, headers in a mail and a post.

const WORDS = [
  "<!channel> <!here> <@U012AB3CD> <https://evil.example/a|Open the nest>",
  "[Open the nest](https://evil.example/b) @channel @everyone `code`",
  "\\r\\nBcc: eve@evil.example \u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007 \u202egnp.exe",
  `<img src=x onerror=alert(1)> ${"long ".repeat(300)}`,
].join(" ");

const everywhere = ["run_shipped", "run_failed", "agent_paused"];

test("what a stranger makes an agent say is plain text wherever it is told, and cut", {
  timeout: 150_000,
}, async () => {
  await using receivers = await NotificationReceivers.open("none");
  const channels = {
    hook: { kind: "webhook", url: `${receivers.url}/hook`, events: everywhere },
    chat: { kind: "slack", url: `${receivers.url}/chat`, events: everywhere },
    phone: { kind: "ntfy", url: `${receivers.url}/phone`, events: everywhere },
    mail: {
      ...{ kind: "email", host: "127.0.0.1", port: receivers.mailPort, tls: "none", events: everywhere },
      ...{ from: "nest@nest.example", to: "ada@nest.example" },
    },
  };
  await using spoke = await SpokeHere.start({
    seed: plainSeed(SPOKE_TOKEN, ["acme/web"], 2),
    config: {
      agents: { scanner: { backend: "claude", style: "headless" } },
      acmm_level: 5,
      governor: { eval_interval_s: 3600 },
      dashboard: { hub_proxied: true, public_url: "https://nest.example" },
      notifications: { channels },
    },
    environment: {
      NEST_AGENT_COMMAND: fakeAgent("agent-with-words"),
      NEST_AGENT_ENV: "FAKE_WORDS",
      NEST_SANDBOX: "off",
      FAKE_WORDS: WORDS,
    },
  });
  await spoke.endedRun();
  await spoke.call("PUT", "/api/notifications/hook/secret", { secret: "key-that-signs-the-posts" });
  await spoke.call("PUT", "/api/notifications/chat/secret", { secret: "T0/B0/part" });
  expect(await spoke.call("POST", "/api/agents/scanner/kick", {})).toMatchObject({ ok: true });
  await expect
    .poll(() => receivers.at("/chat/T0/B0/part").length, { timeout: 60_000 })
    .toBeGreaterThanOrEqual(1)
    .catch(async (thrown: unknown) => {
      const told = [await spoke.call("GET", "/api/runs"), await spoke.call("GET", "/api/notifications")];
      throw new Error(JSON.stringify(told), { cause: thrown });
    });

  const chat: string = JSON.parse(receivers.at("/chat/T0/B0/part")[0]?.body ?? "").text;
  expect(chat).toContain("&lt;!channel&gt;");
  const [ours = ""] = /<[^>]*\/acme\/web\/pull\/\d+\|Pull request>/.exec(chat) ?? [];
  expect(ours.startsWith(`<${spoke.codeHost.url}/acme/web/pull/`)).toBe(true);
  const links = chat.match(/<[^>]*>/g);
  expect(links).toEqual([expect.stringMatching(/^<https:\/\/nest\.example\/runs\/[^|]+\|Open the nest>$/), ours]);
  expect(chat.replace(ours, "").match(/@|:\/\/evil|\]\(|`/g)).toBeNull();

  await expect.poll(() => receivers.at("/hook").length, { timeout: 60_000 }).toBeGreaterThanOrEqual(1);
  const hook = JSON.parse(receivers.at("/hook")[0]?.body ?? "");
  expect(Buffer.byteLength(hook.text)).toBeLessThan(800);
  expect(hook.text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);

  await expect.poll(() => receivers.at("/phone").length, { timeout: 60_000 }).toBeGreaterThanOrEqual(2);
  for (const { headers, body } of receivers.at("/phone")) {
    expect(headers.title).toBe("scanner opened a pull request");
    expect(headers.click).toMatch(/^https:\/\/nest\.example\//);
    expect(Object.keys(headers).filter((name) => name === "bcc" || name === "actions" || name === "attach")).toEqual(
      [],
    );
    expect(Buffer.byteLength(body)).toBeLessThan(1000);
  }

  await expect.poll(() => receivers.mailed.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(2);
  for (const { to, source } of receivers.mailed) {
    expect(to).toEqual(["ada@nest.example"]);
    const [head = ""] = source.split("\r\n\r\n");
    expect(head).toMatch(/^Content-Type: text\/plain/m);
    expect(head).not.toMatch(/^Bcc:|evil/m);
  }
});
