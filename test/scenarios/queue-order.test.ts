import { expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";

const ORDER = "/api/contribute/queue/order";
const MOST = 512;

const one = (number: number) => `acme/one#${number}`;
const orderOf = async (hub: TestHub) => ((await hub.admin("GET", ORDER)).body as { order: string[] }).order;
const first = (hub: TestHub, ...keys: string[]) => hub.admin("POST", `${ORDER}/first`, { keys });

test("two admins who hand issues out first at the same moment both get what they asked for", async () => {
  await using hub = await TestHub.start({ issues: 5 });
  const both = await Promise.all([first(hub, one(4), one(5)), first(hub, one(2))]);
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  expect((await orderOf(hub)).sort()).toEqual([one(2), one(4), one(5)]);
  expect(both[1]?.body).toEqual({ ok: true, before: [one(4), one(5)], order: [one(2), one(4), one(5)] });
  await Promise.all([hub.admin("POST", `${ORDER}/remove`, { keys: ["Acme/One#4"] }), first(hub, one(5), one(1))]);
  expect(await orderOf(hub)).toEqual([one(5), one(1), one(2)]);
});

test("a pinned issue that somebody works on does not wait any more, and one that was pinned and is closed does not either", async () => {
  await using hub = await TestHub.start({ issues: 3 });
  await first(hub, one(2), one(3), one(99));
  expect((await hub.admin("GET", ORDER)).body).toMatchObject({ waiting: 2 });
  expect((await (await hub.relay("alice")).ready()).number).toBe(2);
  expect((await hub.admin("GET", ORDER)).body).toMatchObject({ order: [one(2), one(3), one(99)], waiting: 1 });
});

test("the status tells operators how many issues are pinned, and nobody else", async () => {
  await using hub = await TestHub.start({ issues: 3 });
  const status = "/api/contribute/status";
  expect((await hub.admin("GET", status)).body).toMatchObject({ pinned: 0 });
  await first(hub, one(2), one(3));
  expect((await hub.admin("GET", status)).body).toMatchObject({ pinned: 2 });
  expect((await hub.call("GET", status)).body).not.toHaveProperty("pinned");
  await hub.admin("PUT", ORDER, { order: [] });
  expect((await hub.admin("GET", status)).body).toMatchObject({ pinned: 0 });
});

test("a list that was made from one that is in force no more stops the save, and the answer says who did it and what is different", async () => {
  await using hub = await TestHub.start({ issues: 5 });
  await hub.admin("PUT", ORDER, { order: [one(1), one(2)] });
  const read = await orderOf(hub);
  await hub.admin("PUT", ORDER, { order: [one(3), one(1)], expected: read });
  const late = await hub.admin("PUT", ORDER, { order: [one(2), one(1)], expected: read });
  expect(late).toMatchObject({
    status: 409,
    body: {
      code: "queue_order_changed",
      error: "admin-token changed which issues are pinned since they were read",
      hint: expect.stringContaining(`pinned meanwhile: ${one(3)}; unpinned meanwhile: ${one(2)}`),
    },
  });
  expect(await orderOf(hub)).toEqual([one(3), one(1)]);
  const moved = await hub.admin("PUT", ORDER, { order: [], expected: [one(1), one(3)] });
  expect(moved.body).toMatchObject({ hint: expect.stringContaining("in another order") });
  expect((await hub.admin("PUT", ORDER, { order: [], expected: [one(3), one(1)] })).status).toBe(200);
  expect(await orderOf(hub)).toEqual([]);
});

test("of two lists made from the same one at the same moment, one is refused", async () => {
  await using hub = await TestHub.start({ issues: 5 });
  const both = await Promise.all(
    [1, 2].map((number) => hub.admin("PUT", ORDER, { order: [one(number)], expected: [] })),
  );
  expect(both.map(({ status }) => status)).toEqual([200, 409]);
  expect(await orderOf(hub)).toEqual([one(1)]);
});

test("more pinned issues than the limit are refused, and none that was pinned falls out", async () => {
  await using hub = await TestHub.start({ issues: 2 });
  const pinned = Array.from({ length: MOST }, (_, nth) => `acme/two#${nth + 1}`);
  await hub.admin("PUT", ORDER, { order: pinned });
  expect(await first(hub, one(1))).toMatchObject({
    status: 409,
    body: {
      error: "513 issues would be pinned, more than 512",
      code: "queue_order_full",
      hint: expect.stringMatching(/unpin/),
    },
  });
  expect((await hub.admin("PUT", ORDER, { order: [one(1), ...pinned] })).status).toBe(400);
  expect(await orderOf(hub)).toEqual(pinned);
  expect((await first(hub, "acme/two#512")).body).toMatchObject({ order: ["acme/two#512", ...pinned.slice(0, -1)] });
});

test("whoever holds many issues back does not take the reason from a hold that somebody else makes at that moment", async () => {
  await using hub = await TestHub.start({ issues: 3 });
  const keys = [one(1), one(2)];
  const [, many] = await Promise.all([
    hub.admin("POST", "/api/contribute/queue/hold", { key: one(1), held: true, reason: "waits for the design" }),
    hub.admin("POST", "/api/contribute/queue/holds", { keys, held: true, reason: "flood" }),
  ]);
  const { hold } = (await hub.admin("GET", ORDER)).body as { hold: { key: string; reason: string }[] };
  expect(new Map(hold.map(({ key, reason }) => [key, reason]))).toEqual(
    new Map([
      [one(1), "waits for the design"],
      [one(2), "flood"],
    ]),
  );
  expect(many.body).toEqual({ ok: true, changed: 1 });
});
