import { expect, test } from "vitest";
import { pullRequestLink, pullRequestUrl } from "./pull-request-link.ts";

test.each([
  ["https://github.com/acme/widgets/pull/12", "acme/widgets", 12],
  ["https://github.com/acme/widgets/pull/12/files#diff-1", "acme/widgets", 12],
  ["https://github.com/acme/widgets/pull/12).", "acme/widgets", 12],
  ["https://github.com/Acme/wid.gets/pull/12?x=1", "Acme/wid.gets", 12],
])("%s names a pull request", (address, repo, number) => {
  expect(pullRequestLink(address)).toEqual({ repo, number });
});

test.each([
  "",
  "not an address",
  "https://elsewhere.example/acme/widgets/pull/12",
  "http://github.com/acme/widgets/pull/12",
  "https://github.com.evil.example/acme/widgets/pull/12",
  "https://github.com@evil.example/acme/widgets/pull/12",
  "https://user:word@github.com/acme/widgets/pull/12",
  "https://github.com:8443/acme/widgets/pull/12",
  "https://github.com/acme/widgets/issues/12",
  "https://github.com/acme/widgets/pull/",
  "https://github.com/acme/widgets/pull/0",
  "https://github.com/acme/widgets/pull/12abc",
  "https://github.com/acme/pull/12",
  "https://github.com/x/acme/widgets/pull/12",
  "javascript:https://github.com/acme/widgets/pull/12",
])("%j names none", (address) => {
  expect(pullRequestLink(address)).toBeUndefined();
});

test("a web base with a path is asked for too", () => {
  const base = "https://code.example/git";
  const name = { repo: "acme/widgets", number: 3 };
  expect(pullRequestLink(pullRequestUrl(name, base), base)).toEqual(name);
  expect(pullRequestLink("https://code.example/acme/widgets/pull/3", base)).toBeUndefined();
});
