import { backendOf } from "@nest/agents";
import { expect, test } from "vitest";
import { callAgent } from "./agent-call.ts";
import type { CommandDeps } from "./command.ts";

test.each([
  [true, 60_000, "see what it waits for"],
  [false, 10_000, "sign in"],
])(
  "an agent that is signed in (%s) has %i ms for its word, and then the advice fits",
  async (isSignedIn, ms, advice) => {
    const given: number[] = [];
    const deps = {
      environment: {},
      error: { write: () => undefined },
      attempt: (_file: string, _args: readonly string[], { timeoutMs }: { timeoutMs: number }) => {
        given.push(timeoutMs);
        return Promise.resolve(undefined);
      },
    } as unknown as CommandDeps;
    const codex = backendOf("codex");
    if (codex === undefined) throw new Error("there is no codex");
    const check = await callAgent(codex, "/bin/codex", isSignedIn, deps);
    expect(given).toEqual([ms]);
    expect(check?.remedy).toContain(advice);
  },
);
