import { expect, test } from "vitest";
import { VirtualClock } from "./clock.ts";

test("a virtual clock fires timers in order of their due time and stops exactly where it was sent", async () => {
  const clock = new VirtualClock(0);
  const seen: string[] = [];
  clock.after(20, () => seen.push(`b@${clock.now()}`));
  clock.after(10, () => seen.push(`a@${clock.now()}`));
  const cancel = clock.every(15, () => seen.push(`tick@${clock.now()}`));
  await clock.advance(31);
  cancel();
  await clock.advance(100);
  expect(seen).toEqual(["a@10", "tick@15", "b@20", "tick@30"]);
  expect(clock.now()).toBe(131);
});

test("a sleeper wakes with the signal's reason when it is aborted first", async () => {
  const clock = new VirtualClock(0);
  const stop = new AbortController();
  const slept = clock.sleep(1000, stop.signal);
  stop.abort(new Error("stopped"));
  await expect(slept).rejects.toThrow("stopped");
});
