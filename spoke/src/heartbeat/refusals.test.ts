import type { NestActivityEvent } from "@nest/protocol";
import { expect, test } from "vitest";
import { refusalTeller } from "./refusals.ts";

test("a hub that refuses is told once when it begins and once when it ends, however often it is away between", () => {
  const told: NestActivityEvent[] = [];
  const note = refusalTeller((event) => told.push(event));
  const refused = { kind: "rejected", status: 401 } as const;
  const away = { kind: "unreachable", because: "ECONNREFUSED" } as const;
  const accepted = { kind: "accepted" } as const;
  for (const outcome of [accepted, away, refused, refused, away, refused, accepted, away, accepted]) note(outcome);
  expect(told).toEqual([
    { action: "hub refuses heartbeats", detail: "status 401" },
    { action: "hub accepts heartbeats again" },
  ]);
});
