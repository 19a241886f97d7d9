import type { Outcome } from "@nest/agents";
import { CodeHostMemory } from "@nest/codehost";
import { NestError } from "@nest/kit";
import { expect, test } from "vitest";
import { openPullRequests, withoutFound } from "./own-pull-request.ts";

const { signal } = new AbortController();
const shipped = (number: number): Outcome => ({
  kind: "completed",
  verdict: "shipped",
  pullRequest: `https://github.com/Acme/web/pull/${number}`,
});

test("a pull request that was open before a run began is found by it, not opened", async () => {
  const codeHost = new CodeHostMemory();
  codeHost.setPullRequest({ repo: "acme/web", number: 7 });
  const before = await openPullRequests(codeHost, "acme/web", signal);
  codeHost.setPullRequest({ repo: "acme/web", number: 8 });
  expect(withoutFound(shipped(8), before)).toEqual(shipped(8));
  expect(withoutFound(shipped(7), before)).toEqual({
    kind: "completed",
    verdict: "idle",
    verdictReason: "it found https://github.com/Acme/web/pull/7, which was open before",
  });
});

test("where the pull requests cannot be read, a run is believed", async () => {
  const codeHost = new CodeHostMemory();
  codeHost.failure = new NestError("codehost_unreachable", "the code host cannot be reached");
  const before = await openPullRequests(codeHost, "acme/web", signal);
  expect(withoutFound(shipped(7), before)).toEqual(shipped(7));
});
