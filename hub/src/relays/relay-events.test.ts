import { expect, test } from "vitest";
import { RelayEvents } from "./relay-events.ts";

test("every listener is told what it listens to", () => {
  const events = new RelayEvents();
  const told: unknown[] = [];
  events.listen({ changed: () => told.push("changed") });
  events.listen({ assigned: (waitedMs) => told.push(waitedMs) });
  events.changed();
  events.assigned(7);
  expect(told).toEqual(["changed", 7]);
});
