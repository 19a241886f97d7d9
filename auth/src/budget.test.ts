import { VirtualClock } from "@nest/kit";
import { expect, test } from "vitest";
import { Budget } from "./budget.ts";

const limits = { what: "sign-ins", perAddress: { most: 3, withinMs: 1000 }, inAll: { most: 5, withinMs: 1000 } };
const spent = (budget: Budget, address: string, times: number) => {
  let taken = 0;
  for (let nth = 0; nth < times; nth += 1) {
    try {
      budget.spend(address);
      taken += 1;
    } catch {}
  }
  return taken;
};

test("an address that asks for more than its part takes nothing from the others", async () => {
  const clock = new VirtualClock();
  const budget = new Budget(clock, limits);
  expect(spent(budget, "a", 100)).toBe(3);
  expect(spent(budget, "b", 100)).toBe(2);
  expect(() => budget.spend("c")).toThrow(/too many sign-ins here/);
  await clock.jump(1000);
  expect(spent(budget, "a", 100)).toBe(3);
});

test("replicas share a budget: each allows its part of it", () => {
  const replica = () => new Budget(new VirtualClock(), limits, () => 3);
  const replicas = [replica(), replica(), replica()];
  expect(replicas.reduce((sum, budget) => sum + spent(budget, "a", 100), 0)).toBe(3);
});
