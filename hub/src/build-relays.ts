import type { IncomingMessage } from "node:http";
import type { CodeHost } from "@nest/codehost";
import { type Lease, roleFor } from "@nest/dispatch";
import type { Clock, Log, Random } from "@nest/kit";
import { type OwnLimitsLeft, scaleTransport } from "@nest/protocol";
import type { Dispatch } from "./build-dispatch.ts";
import { ConnectedRelays } from "./relays/connected-relays.ts";
import { Conversation } from "./relays/conversation.ts";
import { deliverEffect } from "./relays/deliver-effect.ts";
import { Entrance } from "./relays/entrance.ts";
import { Gateway } from "./relays/gateway.ts";
import { Holders } from "./relays/holders.ts";
import { Notices } from "./relays/notices.ts";
import { OtherReplicas } from "./relays/other-replicas.ts";
import { PausedRelays } from "./relays/paused-relays.ts";
import { Peers } from "./relays/peers.ts";
import { Presence } from "./relays/presence.ts";
import { Probes } from "./relays/probes.ts";
import { RelayEvents } from "./relays/relay-events.ts";
import { Roster } from "./relays/roster.ts";
import { serverCapabilities } from "./relays/server-capabilities.ts";
import type { Session } from "./relays/session.ts";
import { TaskCredentials } from "./relays/task-credentials.ts";
import { WaitingRelays } from "./relays/waiting-relays.ts";

export interface RelaysDeps {
  readonly dispatch: Dispatch;
  readonly codeHost: CodeHost;
  readonly clockScale: number;
  readonly wrongTokens: { count(address: string): number; waitMs(address: string): number };
  readonly isKnownHost: (request: IncomingMessage) => boolean;
  readonly addressOf: (request: IncomingMessage) => string;
  readonly limitsOf: (contributorId: string) => OwnLimitsLeft | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** The parts of the hub that relays connect to. */
export interface Relays {
  readonly gateway: Gateway;
  readonly events: RelayEvents;
  /** The relays of the hub's other replicas. */
  readonly peers: Peers;
  readonly roleOf: (contributorId: string, requested: string | undefined) => string | undefined;
}

/** Wires connections to decisions: relays' messages become commands, and effects become frames. */
export function buildRelays(deps: RelaysDeps): Relays {
  const { dispatch, clockScale, clock, random, log, limitsOf } = deps;
  const { storage, ledger, batcher, queue, queueSettings, configApplier } = dispatch;
  const { bus, replica } = storage;
  const transport = scaleTransport(clockScale);
  const { probeMs } = transport;
  const isShared = () => bus.others > 0;
  const roleOf = (contributorId: string, requested: string | undefined) =>
    roleFor(ledger, contributorId, requested, queueSettings.settings.contribute_delegatable_roles);

  const events = new RelayEvents();
  const peers = new Peers(bus, clock);
  const roster = new Roster();
  const credentials = new TaskCredentials({ codeHost: deps.codeHost, clock, times: dispatch.times, log, events });
  const capabilities = serverCapabilities(credentials.available);
  const presence = new Presence({
    clock,
    say: (action, contributorId, detail) => batcher.submitLazily({ kind: "presence", contributorId, action, detail }),
    isElsewhere: (identity) => peers.have(identity),
  });
  const relays = new ConnectedRelays({
    roster,
    batcher,
    ledger,
    credentials,
    presence,
    events,
    capabilities,
    roleOf,
    limitsOf,
    announcement: () => queueSettings.settings.contribute_announcement,
    clock,
    log,
  });
  const probes = new Probes(clock, probeMs, (silent) => relays.cutSilent(silent));
  const otherReplicas = new OtherReplicas({ bus, clock, probeMs, roster, probes });
  const holders = new Holders({ replica, isShared, ledger, batcher, roster, probes, otherReplicas, clock, probeMs });
  const waiting = new WaitingRelays({
    queue,
    clock,
    times: dispatch.times,
    // What cannot be written now is looked for again the next time.
    lookFor: (relay) =>
      batcher.ask({ kind: "ready", unasked: true, ...relay }).then(
        () => undefined,
        () => undefined,
      ),
  });
  const onReady = (session: Session) => waiting.delete(session);
  const onPrinted = (lease: Lease, lines: readonly string[]) => events.printed(lease, lines);
  const conversation = new Conversation({ holders, probes, batcher, ledger, clock, onReady, onPrinted });
  const models = () => queueSettings.rules.models;
  const entrance = new Entrance({
    ledger,
    batcher,
    models,
    isShared,
    wrongTokens: deps.wrongTokens,
    roster,
    probes,
    clock,
    log,
  });
  const { wrongTokens, isKnownHost, addressOf } = deps;
  const inside = { roster, relays, probes, otherReplicas, entrance, conversation, waiting, presence };
  const outside = { replica, capabilities, wrongTokens, isKnownHost, addressOf, transport };
  const gateway = new Gateway({ ...inside, ...outside, clock, random, log });
  const onAnswered = (session: Session) => conversation.answered(session);
  const delivery = { relays, roster, waiting, queue, credentials, events, clock, random, onAnswered, roleOf, limitsOf };
  const paused = new PausedRelays({ ledger, roster, waiting, now: () => clock.now() });
  const notices = new Notices({ ledger, roster, now: () => clock.now() });
  batcher.listen({
    changed({ settings }) {
      notices.changed(settings);
      paused.changed(settings.keys());
    },
    effect: (effect) => deliverEffect(effect, delivery),
    lost: (connections) => relays.recall(connections),
    reloaded: () => relays.review(),
  });
  queue.whenOffered(() => waiting.offer());
  configApplier.listen({ announced: (message) => relays.announce(message), applied: () => waiting.offer() });
  return { gateway, events, peers, roleOf };
}
