import { expect, test } from "vitest";
import { messageOf } from "./message.ts";

const AT = "2026-01-10T12:00:00.000Z";
const deps = {
  address: "https://nests.example/nest/n1/",
  webBase: "https://github.com",
  redact: (text: string) => text.replaceAll("hush-hush", "[secret]"),
};

test("a message says who did what, at which issue, and where more is", () => {
  const line = { at: AT, action: "run shipped", agent: "scanner", issue: "acme/web#4", run_id: "r-1", detail: "done" };
  expect(messageOf({ ...line, url: "https://github.com/acme/web/pull/9?x=1" }, deps)).toEqual({
    event: "run_shipped",
    at: AT,
    title: "scanner opened a pull request",
    text: "acme/web#4: done",
    link: "https://nests.example/nest/n1/runs/r-1",
    agent: "scanner",
    issue: "acme/web#4",
    pull_request: "https://github.com/acme/web/pull/9",
  });
});

test.each(["run began", "run finished", "agent resumed", "settings changed", "constructor"])(
  "nobody is notified of %s",
  (action) => {
    expect(messageOf({ at: AT, action }, deps)).toBeUndefined();
  },
);

test("an address of another host is no pull request, and without an address of the nest there is no link", () => {
  const line = { at: AT, action: "run shipped", agent: "scanner", url: "https://github.com.evil.example/a/b/pull/1" };
  const message = messageOf(line, { ...deps, address: undefined });
  expect([message?.pull_request, message?.link]).toEqual([undefined, undefined]);
  expect(messageOf(line, { ...deps, address: "javascript:alert(1)" })?.link).toBeUndefined();
});

test("every text is one plain line, cut, without secrets", () => {
  const detail = `one\r\nBcc: eve@evil.example\u001b[31m\u202e hush-hush ${"x".repeat(5000)}`;
  const message = messageOf({ at: AT, action: "agent paused", agent: "scanner", detail }, deps);
  expect(message?.text).toMatch(/^one Bcc: eve@evil\.example \[secret\] x+…$/);
  expect(Buffer.byteLength(message?.text ?? "")).toBeLessThanOrEqual(600);
});
