import { BenchRelay, type HubPlace, type RelayEvents } from "./bench-relay.ts";
import type { LoadAnswer, LoadCommand } from "./commands.ts";
import { ClosedLoop, expectNothing, Oddities, OpenLoop, Recovery } from "./modes.ts";
import { ShiftLoop } from "./shift-loop.ts";

/** The load client, in a process of its own: does what its parent tells it, one command after the other. */
const IN_FLIGHT = 60;
const SETTLE_MS = 500;
/** A hub that bounds the sockets at its door says so; the relay comes again. */
const BUSY = "http 503";

let relays: BenchRelay[] = [];
let places: readonly HubPlace[] = [];
let odd = new Oddities();
let events: RelayEvents = expectNothing(odd);

process.on("message", (command: LoadCommand) => {
  odd = new Oddities();
  carryOut(command).then(
    (answer) => process.send?.({ odd: odd.counts, ...answer }),
    (thrown) => {
      console.error(thrown);
      process.exit(1);
    },
  );
});
process.on("disconnect", () => process.exit(0));

function carryOut(command: LoadCommand): Promise<Partial<LoadAnswer>> {
  switch (command.do) {
    case "connect":
      return connectAll(command.places, command.tokens);
    case "closed":
      return closedLoop(command.warmupMs, command.measureMs);
    case "open":
      return openLoop(command.perSecond, command.warmupMs, command.measureMs);
    case "shift":
      return beginShift(command.eventsPerSecond, command.holdMs);
    case "sample":
      return sample(command.measureMs);
    case "hold":
      return hold(command.count);
    case "recover":
      return recover(command.withinMs);
    case "finish":
      return finish(command.withinMs);
  }
}

/** Relays are spread over the replicas of a hub. */
function dial(relay: BenchRelay | undefined): void {
  const place = places[(relay?.index ?? 0) % places.length];
  if (place !== undefined) relay?.dial(place);
}

/** Dials with few in flight: a hub may well bound the sockets that have not yet said who they are. */
async function connectAll(to: readonly HubPlace[], tokens: readonly string[]) {
  places = to;
  relays = tokens.map((token, index) => new BenchRelay(index, token, () => events));
  let next = 0;
  let connected = 0;
  await new Promise<void>((resolve, reject) => {
    const dialNext = () => dial(relays[next++]);
    events = {
      ...expectNothing(odd),
      authenticated: () => {
        connected += 1;
        if (connected === relays.length) resolve();
        else dialNext();
      },
      refused: (_relay, reason) => {
        odd.add(`refused: ${reason}`);
        if (reason !== BUSY) reject(new Error(`the hub refuses relays: ${reason}`));
      },
      closed: (relay) => {
        odd.add("connection closed");
        setTimeout(() => dial(relay), 100);
      },
    };
    for (let at = 0; at < IN_FLIGHT; at += 1) dialNext();
  });
  events = expectNothing(odd);
  return { connected };
}

async function closedLoop(warmupMs: number, measureMs: number) {
  const loop = new ClosedLoop(odd);
  events = loop.events();
  for (const relay of relays) relay.askForWork();
  return measured(loop, warmupMs, measureMs);
}

async function openLoop(perSecond: number, warmupMs: number, measureMs: number) {
  const loop = new OpenLoop(odd, relays, perSecond);
  events = loop.events();
  loop.start();
  return measured(loop, warmupMs, measureMs);
}

async function measured(loop: ClosedLoop | OpenLoop, warmupMs: number, measureMs: number) {
  await wait(warmupMs);
  loop.beginMeasuring();
  const began = performance.now();
  await wait(measureMs);
  const seconds = (performance.now() - began) / 1000;
  const { cycles, readyToAssign } = loop.stop();
  await wait(SETTLE_MS);
  events = expectNothing(odd);
  return { cycles, perSecond: cycles / seconds, readyToAssign };
}

let shift: ShiftLoop | undefined;
/** What was odd during a shift; each sample tells its own. */
const oddInShift = new Oddities();

async function beginShift(eventsPerSecond: number, holdMs: number) {
  shift = new ShiftLoop({ odd: oddInShift, relays, eventsPerSecond, holdMs, now: () => performance.now() });
  events = shift.events();
  setInterval(() => shift?.turn(), 1);
  return {};
}

async function sample(measureMs: number) {
  if (shift === undefined) throw new Error("no shift has begun");
  oddInShift.clear();
  shift.beginMeasuring();
  const began = performance.now();
  await wait(measureMs);
  const seconds = (performance.now() - began) / 1000;
  const { events: sent, readyToAssign, samples } = shift.measured();
  return { perSecond: sent / seconds, readyToAssign, samples: [...samples], odd: { ...oddInShift.counts } };
}

/** The first `count` relays take a task each and keep it. */
async function hold(count: number) {
  const holders = relays.slice(0, count);
  let held = 0;
  await new Promise<void>((resolve) => {
    events = {
      ...expectNothing(odd),
      assigned: (relay, task) => {
        relay.held = task;
        relay.accept(task);
        relay.ping();
      },
      ponged: () => {
        held += 1;
        if (held === holders.length) resolve();
      },
      unavailable: (relay, reason) => {
        odd.add(`unavailable: ${reason}`);
        setTimeout(() => relay.askForWork(), SETTLE_MS);
      },
    };
    for (const relay of holders) relay.askForWork();
  });
  events = recovery().events();
  return { held };
}

let current: Recovery | undefined;
function recovery(): Recovery {
  const holders = relays.filter((relay) => relay.held !== undefined);
  current = new Recovery(odd, holders, (relay) => dial(relay));
  return current;
}

/** Waits until every relay is back and every lease is resumed; then asks for work with the others, to see who gets what. */
async function recover(withinMs: number) {
  const watched = current ?? recovery();
  const until = performance.now() + withinMs;
  while (performance.now() < until && !(watched.isComplete && watched.authenticated >= relays.length)) await wait(10);
  const { lastAuthenticatedAt, lastResumedAt, dials } = watched;
  for (const relay of relays) if (relay.held === undefined) relay.askForWork();
  await wait(4 * SETTLE_MS);
  return {
    connected: watched.authenticated,
    lastAuthenticatedAt,
    lastResumedAt,
    dials,
    ...watched.figures(),
    odd: watched.odd.counts,
  };
}

/** Holders complete what they hold; a lease that was really kept is acknowledged. */
async function finish(withinMs: number) {
  const holders = relays.filter((relay) => relay.held !== undefined);
  const acknowledged = new Set<number>();
  const revoked = new Set<number>();
  events = {
    ...expectNothing(odd),
    assigned: () => undefined,
    acknowledged: (relay) => acknowledged.add(relay.index),
    revoked: (relay, reason) => {
      odd.add(`revoked: ${reason}`);
      revoked.add(relay.index);
    },
  };
  for (const relay of holders) if (relay.held !== undefined) relay.workThrough(relay.held);
  const until = performance.now() + withinMs;
  while (performance.now() < until && acknowledged.size < holders.length) await wait(10);
  return { acknowledged: [...acknowledged].filter((index) => !revoked.has(index)).length };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
