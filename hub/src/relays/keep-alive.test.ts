import { VirtualClock } from "@nest/kit";
import { scaleTransport } from "@nest/protocol";
import { expect, test } from "vitest";
import { keepAlive } from "./keep-alive.ts";
import { aSession } from "./testing/fake-transport.ts";

const transport = scaleTransport(1);

/** Relays with keep-alive, and the function that stops it. */
function someRelays(count: number) {
  const clock = new VirtualClock();
  const relays = Array.from({ length: count }, (_, nth) => aSession(nth, clock));
  const stop = keepAlive(() => relays.map(({ session }) => session).filter(({ closed }) => !closed), clock, transport);
  return { clock, relays, stop };
}

test("every relay is pinged once in a ping period", async () => {
  const { clock, relays } = someRelays(1000);
  // Each slot's pings are sent two in a millisecond.
  await clock.advance(transport.pingMs + 25);
  expect(relays.map(({ transport: { pings } }) => pings)).toEqual(relays.map(() => 1));
});

test("a relay that leaves three pings unanswered is closed with 1001; one that answers stays", async () => {
  const { clock, relays } = someRelays(2);
  for (let nth = 0; nth < 4; nth += 1) {
    await clock.advance(transport.pingMs);
    if (relays[0] !== undefined) relays[0].session.unanswered = 0;
  }
  expect(relays.map(({ transport: { closes } }) => closes)).toEqual([[], [[1001, "silent peer"]]]);
});

test("nobody is pinged any more once it is stopped, also where a round of pings is under way", async () => {
  const { clock, relays, stop } = someRelays(1000);
  await clock.advance(transport.pingMs / 20);
  stop();
  await clock.advance(3 * transport.pingMs);
  expect(relays.reduce((sum, { transport: { pings } }) => sum + pings, 0)).toBe(2);
});
