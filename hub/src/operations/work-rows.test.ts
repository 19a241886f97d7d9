import type { Lease, Ledger } from "@nest/dispatch";
import { expect, test } from "vitest";
import { WorkRows } from "./work-rows.ts";

const lease = {
  ...{ taskId: "t", gen: 1, contributorId: "c", identity: "c#laptop", repo: "acme/one", number: 7, title: "x" },
  ...{ url: "https://code.test/7", connection: "conn-1", assignedAt: 0, acceptedAt: 0, expiresAt: 1000 },
} as Lease;

test("a task's row is the same object until its lease, its note or its contributor's login is another", () => {
  let login = "alice";
  const rows = new WorkRows({ contributor: () => ({ login }) } as unknown as Ledger);
  const seen = () => true;
  const row = rows.of(lease, "reading", seen);
  expect(rows.of(lease, "reading", seen)).toBe(row);
  expect(rows.of(lease, "writing", seen)).toMatchObject({ note: "writing" });
  expect(rows.of({ ...lease, expiresAt: 2000 }, "reading", seen).expires_at).not.toBe(row.expires_at);
  login = "bob";
  expect(rows.of(lease, "reading", seen).github_username).toBe("bob");
});

test("who must not see its repository gets the row without it, whoever saw it before", () => {
  const rows = new WorkRows({ contributor: () => undefined } as unknown as Ledger);
  expect(rows.of(lease, "note", () => true)).toMatchObject({ repo: "acme/one", note: "note" });
  const hidden = rows.of(lease, "note", () => false);
  expect(hidden).toMatchObject({ private: true, repo: "private", number: 0, url: "" });
  expect(JSON.stringify(hidden)).not.toMatch(/acme|note|code\.test/);
  expect(rows.of(lease, "note", () => true)).toMatchObject({ repo: "acme/one" });
});
