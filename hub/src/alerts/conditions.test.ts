import { expect, test } from "vitest";
import { conditionsOf, type Facts } from "./conditions.ts";

const NOW = Date.UTC(2026, 10, 23, 12);
const HOUR = 3_600_000;

/** A hub at which nothing is wrong. */
function facts(more: Partial<Facts> = {}): Facts {
  return {
    now: NOW,
    unreadable: [],
    isSuspended: false,
    onOffer: 9,
    relays: 3,
    idleRelays: 1,
    assignedAt: NOW - 1000,
    lately: { ended: 40, failed: 4 },
    backupAt: NOW - 3 * HOUR,
    restored: undefined,
    replicas: 2,
    replicasBefore: 2,
    ending: [{ what: "The API token nightly", endsAt: NOW + 60 * 24 * HOUR }],
    ...more,
  };
}

const restoredAt = (at: number) => ({ archive: "nest-hub-backup-a.tar.gz.enc", madeAt: at - HOUR, restoredAt: at });
const kinds = (more: Partial<Facts> = {}) => conditionsOf(facts(more)).map(({ kind }) => kind);

test("a hub that works has nothing to tell", () => {
  expect(kinds()).toEqual([]);
});

test.each<[string, Partial<Facts>]>([
  ["code_host_failing", { unreadable: [{ repo: "acme/one", because: "502" }] }],
  ["queue_empty", { onOffer: 0 }],
  ["queue_stuck", { assignedAt: NOW - HOUR }],
  ["failure_rate", { lately: { ended: 10, failed: 6 } }],
  ["backup_old", { backupAt: NOW - 27 * HOUR }],
  ["hub_restored", { restored: restoredAt(NOW - HOUR), backupAt: NOW - 2 * HOUR }],
  ["hub_restored", { restored: restoredAt(NOW - 23 * HOUR), backupAt: undefined }],
  ["replica_lost", { replicas: 1 }],
  ["credential_ending", { ending: [{ what: "The API token nightly", endsAt: NOW + 24 * HOUR }] }],
])("%s is told", (kind, more) => {
  expect(kinds(more)).toEqual([kind]);
});

test.each<[string, Partial<Facts>]>([
  ["an empty queue without relays", { onOffer: 0, relays: 0 }],
  ["a queue that admins suspended", { isSuspended: true, assignedAt: NOW - 5 * HOUR }],
  ["a queue at which every relay has long work", { idleRelays: 0, assignedAt: NOW - 5 * HOUR }],
  ["a few failures", { lately: { ended: 4, failed: 4 } }],
  ["a hub that does not know of its backups", { backupAt: undefined }],
  ["a restore that a backup came after", { restored: restoredAt(NOW - 4 * HOUR) }],
  [
    "a restore of yesterday where backups are not known",
    { restored: restoredAt(NOW - 24 * HOUR), backupAt: undefined },
  ],
])("%s is no trouble", (_, more) => {
  expect(kinds(more)).toEqual([]);
});

test("what a code host answers is one plain line, cut; of many repositories five are named", () => {
  const because = `<b>no\r\nBcc: eve</b>\u202e${"x".repeat(5000)}`;
  const [alert] = conditionsOf(
    facts({ unreadable: Array.from({ length: 8 }, (_, nth) => ({ repo: `acme/r${nth}`, because })) }),
  );
  expect(alert?.title).toBe("8 repositories cannot be read");
  expect(alert?.text).not.toMatch(/[\r\n\u202e]/);
  expect(alert?.text).toMatch(/; and 3 more$/);
  expect(alert?.text.length).toBeLessThan(1000);
});
