import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { TestHub } from "../harness/hub.ts";
import { UNLIMITED } from "../harness/hub-process.ts";
import { Bindings, type Step, transcriptsOf } from "../harness/transcript.ts";
import { TranscriptPeer } from "../harness/transcript-peer.ts";

/** Relays of another family at our hub, as they were recorded (protocol/vectors/transcripts/README.md). */

const WITHIN_MS = 5000;

async function take(step: Step, stage: { hub: TestHub; peers: Map<number, TranscriptPeer>; known: Bindings }) {
  const { hub, peers, known } = stage;
  if ("frame" in step) {
    const peer = peers.get(step.connection);
    if (step.from === "relay") {
      peer?.say(known.filled(step.frame));
      return undefined;
    }
    await hub.settled();
    return peer?.differs(step.frame, known, WITHIN_MS);
  }
  switch (step.do) {
    case "connect":
      peers.set(step.connection, new TranscriptPeer(new WebSocket(hub.socket)));
      return undefined;
    case "cut":
      peers.get(step.connection)?.cut();
      await expect.poll(() => hub.hub.gateway.connected).toBe(peers.size - 1);
      peers.delete(step.connection);
      return undefined;
    case "kill hub":
      for (const peer of peers.values()) peer.cut();
      peers.clear();
      await hub.restart();
      return undefined;
    case "open issue":
      hub.codeHost.setIssue({ repo: "acme/one", number: 99 });
      await hub.hub.monitor.refresh();
      return undefined;
    case "wait":
      await hub.clock.advance(step.ms);
      return undefined;
  }
}

test.each(transcriptsOf("hub"))("$file: $transcript.name", async ({ transcript }) => {
  await using hub = await TestHub.start({
    issues: transcript.issues ?? 8,
    kind: transcript.hub_is_app === true ? "app" : "token",
    contribute: UNLIMITED,
  });
  const [{ registration_token: token }, known] = [await hub.register("ada"), new Bindings()];
  known.bind("token", token);
  const peers = new Map<number, TranscriptPeer>();
  for (const [at, step] of transcript.steps.entries()) {
    const difference = await take(step, { hub, peers, known });
    expect(difference, `step ${at + 1} of ${transcript.steps.length}: ${JSON.stringify(step)}`).toBeUndefined();
  }
  await hub.settled();
  for (const peer of peers.values()) expect(peer.left).toEqual([]);
});

test("there are transcripts of the first relays, alone and as twins, and of the newest", () => {
  expect(transcriptsOf("hub").map(({ file }) => file)).toEqual(
    expect.arrayContaining([
      "relay-1.0-alone.json",
      "relay-1.0-twins.json",
      "relay-1.0-no-work.json",
      "relay-1.4.json",
    ]),
  );
});
