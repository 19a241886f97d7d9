import type { contribute } from "@nest/protocol";
import type { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { live } from "./live.ts";
import { refetchWhenChanged } from "./refetch-when-changed.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function follow() {
  const read: string[] = [];
  const client = { invalidateQueries: ({ queryKey }: { queryKey: string[] }) => read.push(String(queryKey[0])) };
  const stop = refetchWhenChanged(client as unknown as QueryClient);
  return { stop, times: (name: string) => read.filter((one) => one === name).length };
}

function happens(id: number): void {
  live.set({ ...live.get(), activity: [{ id }] as contribute.ActivityEntry[] });
}

test("what happens once is in the lists within two seconds", () => {
  const { stop, times } = follow();
  happens(1);
  vi.advanceTimersByTime(2000);
  expect(["history", "contributors", "audit"].map(times)).toEqual([1, 1, 1]);
  stop();
});

test("on a hub where something happens all the time the charts are read again every few seconds, and after the last thing once more", () => {
  const { stop, times } = follow();
  for (let nth = 1; nth <= 60; nth += 1) {
    happens(100 + nth);
    vi.advanceTimersByTime(1000);
  }
  expect(times("history")).toBeGreaterThan(5);
  expect(times("history")).toBeLessThan(12);
  const before = times("history");
  happens(200);
  vi.advanceTimersByTime(10_000);
  expect(times("history")).toBeGreaterThan(before);
  stop();
});
