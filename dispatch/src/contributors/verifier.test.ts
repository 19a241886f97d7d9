import { Writable } from "node:stream";
import { CodeHostMemory } from "@nest/codehost";
import { createLog, NestError, VirtualClock } from "@nest/kit";
import { expect, test } from "vitest";
import type { Command, NamedWork } from "../leases/commands.ts";
import { aContributor, aDecider, MINUTE, NOW } from "../leases/testing/small-decider.ts";
import { Verifier } from "./verifier.ts";

const WEB = "https://host";

function work(changes: Partial<NamedWork> = {}): NamedWork {
  return {
    taskId: "t-1",
    gen: 101,
    contributorId: "c-ada",
    key: "acme/one#7",
    repo: "acme/One",
    number: 7,
    assignedAt: NOW - 10 * MINUTE,
    prUrl: `${WEB}/acme/One/pull/40`,
    completedAt: NOW,
    ...changes,
  };
}

/**
 * A verifier at a code host with ada's pull request 40; `named` are generations for which an earlier task still waits for its
 * verdict.
 */
function aVerifier(named: Set<number> = new Set()) {
  const codeHost = new CodeHostMemory({ kind: "app" });
  codeHost.setPullRequest({ repo: "acme/One", number: 40, author: "Ada", authorId: 1815, createdAt: NOW - MINUTE });
  const clock = new VirtualClock(NOW);
  const submitted: Extract<Command, { kind: "verified" }>[] = [];
  const lines: string[] = [];
  const to = new Writable({
    write(line, _encoding, done) {
      lines.push(String(line));
      done();
    },
  });
  const verifier = new Verifier({
    codeHost,
    ledger: aDecider({ contributors: [aContributor()] }).ledger,
    webUrl: WEB,
    clock,
    random: { fraction: () => 0.5, hex: () => "" },
    log: createLog({ program: "nest-hub", to }),
    submit: (command) => command.kind === "verified" && submitted.push(command),
    isNamedBefore: async (_url, gen) => named.has(gen),
  });
  return { verifier, codeHost, clock, submitted, lines };
}

const down = new NestError("codehost_unavailable", "the code host does not answer");

test("a pull request that nothing is found against is verified, in its one spelling", async () => {
  const { verifier, clock, submitted } = aVerifier();
  verifier.verify(work());
  expect(verifier.pending).toBe(1);
  await clock.advance(0);
  const { repo: _repo, number: _number, assignedAt: _assignedAt, ...judged } = work();
  expect(submitted).toEqual([{ kind: "verified", ...judged, pull: "acme/one#40", verdict: "verified" }]);
  expect(verifier.pending).toBe(0);
});

test.each<[string, string, string, string]>([
  ["another repository", `${WEB}/acme/Two/pull/40`, `${WEB}/acme/Two/pull/40`, "is not of this repository"],
  ["no code host of ours", "https://evil/acme/One/pull/40", "https://evil/acme/One/pull/40", "not of this repository"],
  ["one that is not there", `${WEB}/acme/One/pull/41`, "acme/one#41", "does not exist"],
])("a pull request of %s is refused, and why is told", async (_what, prUrl, pull, because) => {
  const { verifier, clock, submitted } = aVerifier();
  verifier.verify(work({ prUrl }));
  await clock.advance(0);
  expect(submitted).toMatchObject([{ verdict: "refused", pull, because: expect.stringContaining(because) }]);
});

test("the repository's spelling does not matter, and a pull request of somebody else is refused", async () => {
  const { verifier, codeHost, clock, submitted } = aVerifier();
  codeHost.setPullRequest({ repo: "ACME/one", number: 42, author: "eve", createdAt: NOW });
  verifier.verify(work({ prUrl: `${WEB}/ACME/one/pull/42` }));
  await clock.advance(0);
  expect(submitted).toMatchObject([{ verdict: "refused", because: expect.stringContaining("somebody else") }]);
});

test("a pull request of the app counts for the contributor whose task it names, and no other app's does", async () => {
  const { verifier, codeHost, clock, submitted } = aVerifier();
  const facts = { repo: "acme/One", authorIsApp: true, createdAt: NOW, body: "fixes #7" };
  codeHost.setPullRequest({ ...facts, number: 43, author: "nest[bot]" });
  codeHost.setPullRequest({ ...facts, number: 44, author: "renovate[bot]" });
  verifier.verify(work({ prUrl: `${WEB}/acme/One/pull/43` }));
  verifier.verify(work({ taskId: "t-2", prUrl: `${WEB}/acme/One/pull/44` }));
  await clock.advance(0);
  expect(submitted.map(({ taskId, verdict }) => [taskId, verdict])).toEqual([
    ["t-1", "verified"],
    ["t-2", "refused"],
  ]);
});

test("a task that is under way already is not asked about twice", async () => {
  const { verifier, clock, submitted } = aVerifier();
  verifier.verify(work());
  verifier.verify(work());
  await clock.advance(0);
  expect(submitted).toHaveLength(1);
});

test("a code host that does not answer is asked again, later each time, and told of in the log", async () => {
  const { verifier, codeHost, clock, submitted, lines } = aVerifier();
  codeHost.failure = down;
  verifier.verify(work());
  await clock.advance(0);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: 40,
    task: "t-1",
    because: expect.stringContaining("answer"),
  });
  expect(lines[0]).toContain("a pull request could not be verified yet");
  // One second plus half of the backoff's bound, which begins at five seconds and doubles.
  const tries = [3500, 6000, 11_000];
  for (const [nth, waitMs] of tries.entries()) {
    await clock.advance(waitMs - 1);
    expect(lines).toHaveLength(nth + 1);
    await clock.advance(1);
    expect(lines).toHaveLength(nth + 2);
  }
  codeHost.failure = undefined;
  await clock.advance(20_999);
  expect([submitted.length, verifier.pending]).toEqual([0, 1]);
  await clock.advance(1);
  expect(submitted).toMatchObject([{ verdict: "verified" }]);
});

test("a silence of the code host is asked into for no more than ten minutes and a second at a time", async () => {
  const { verifier, codeHost, clock, lines } = aVerifier();
  codeHost.failure = down;
  verifier.verify(work());
  await clock.advance(0);
  await clock.advance(24 * 60 * MINUTE);
  const before = lines.length;
  await clock.advance(301_000);
  expect(lines).toHaveLength(before + 1);
});

test("of several tasks that name one pull request the first is judged first", async () => {
  const named = new Set([101]);
  const { verifier, clock, submitted } = aVerifier(named);
  verifier.verify(work());
  await clock.advance(60_000);
  expect([submitted.length, verifier.pending]).toEqual([0, 1]);
  named.clear();
  await clock.advance(4999);
  expect(submitted).toEqual([]);
  await clock.advance(1);
  expect(submitted).toMatchObject([{ verdict: "verified" }]);
});

test("a hub that stops submits nothing more, and says nothing of what it left undone", async () => {
  const { verifier, codeHost, clock, submitted, lines } = aVerifier();
  codeHost.failure = down;
  verifier.verify(work());
  await clock.advance(0);
  verifier.stop();
  codeHost.failure = undefined;
  verifier.verify(work({ taskId: "t-2" }));
  await clock.advance(60 * MINUTE);
  expect([submitted.length, lines.length]).toEqual([0, 1]);
});

test("a question that the hub's end interrupts is no failure of the code host", async () => {
  const { verifier, clock, submitted, lines } = aVerifier();
  verifier.verify(work());
  verifier.stop();
  await clock.advance(60 * MINUTE);
  expect([submitted, lines]).toEqual([[], []]);
});
