import { expect, test } from "vitest";
import { headerText } from "./ntfy.ts";
import { asPlainText } from "./slack.ts";

test.each([
  ["<!channel> look", "&lt;!channel&gt; look"],
  ["<@U123> & <#C1>", "&lt;＠U123&gt; &amp; &lt;#C1&gt;"],
  ["<https://evil.example|Open the nest>", "&lt;https: //evil.example|Open the nest&gt;"],
  ["&lt;!here&gt;", "&amp;lt;!here&amp;gt;"],
  ["@channel @here", "＠channel ＠here"],
  ["[Open the nest](https://evil.example)", "[Open the nest] (https: //evil.example)"],
])("in Slack %j stays a text", (text, written) => {
  expect(asPlainText(text)).toBe(written);
});

test("a header holds a text of any letters, and nothing of it becomes another header", () => {
  expect(headerText("scanner failed")).toBe("scanner failed");
  for (const text of ["Grüße", "a\r\nAuthorization: Bearer x", "=?UTF-8?B?eA==?=", "null\u0000byte"]) {
    const header = headerText(text);
    expect(header).toMatch(/^=\?UTF-8\?B\?[A-Za-z0-9+/=]+\?=$/);
    expect(Buffer.from(header.slice(10, -2), "base64").toString()).toBe(text);
  }
});
