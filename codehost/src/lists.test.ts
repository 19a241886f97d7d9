import { expect, test } from "vitest";
import type { Answer } from "./caller.ts";
import { lastPage, PagedList } from "./lists.ts";

/** A list server of two entries a page, that knows ETags. */
class Server {
  entries: number[] = [];
  asked: string[] = [];
  onPage: (page: number) => void = () => {};

  fetch = async (page: number, etag: string | undefined): Promise<Answer> => {
    const items = this.entries.slice((page - 1) * 2, page * 2);
    const last = Math.max(1, Math.ceil(this.entries.length / 2));
    const link =
      page < last
        ? `<https://x.example/?page=${page + 1}>; rel="next", <https://x.example/?page=${last}>; rel="last"`
        : undefined;
    const current = JSON.stringify([items, link]);
    this.asked.push(`${page}${etag === current ? " unchanged" : ""}`);
    this.onPage(page);
    if (etag === current) return { status: 304, data: undefined, etag, link: undefined };
    return { status: 200, data: items, etag: current, link };
  };
}

function listOf(server: Server): PagedList<number> {
  return new PagedList(
    server.fetch,
    (data) => data as number[],
    (item) => item,
  );
}

test("all pages make one list", async () => {
  const server = new Server();
  server.entries = Array.from({ length: 13 }, (_, index) => index);
  expect((await listOf(server).scan()).items).toEqual(server.entries);
});

test("a second scan asks for every page conditionally, and keeps the array when none changed", async () => {
  const server = new Server();
  server.entries = [1, 2, 3];
  const list = listOf(server);
  const first = await list.scan();
  server.asked = [];
  const second = await list.scan();
  expect(server.asked).toEqual(["1 unchanged", "2 unchanged"]);
  expect(second).toEqual({ items: first.items, unchanged: true });
  expect(second.items).toBe(first.items);
});

test("a list that grows shorter forgets its old pages", async () => {
  const server = new Server();
  server.entries = [1, 2, 3, 4, 5];
  const list = listOf(server);
  await list.scan();
  server.entries = [1];
  expect(await list.scan()).toEqual({ items: [1], unchanged: false });
});

test("an entry that slips to a page already read is not lost", async () => {
  const server = new Server();
  server.entries = [1, 2, 3, 4];
  const list = listOf(server);
  server.onPage = (page) => {
    if (page === 1) server.entries = [2, 3, 4];
  };
  expect((await list.scan()).items).toEqual([2, 3, 4]);
});

test("a page that fails fails the scan, and the next one is whole again", async () => {
  const server = new Server();
  server.entries = [1, 2, 3];
  const list = listOf(server);
  server.onPage = (page) => {
    if (page === 2) throw new Error("half a list");
  };
  await expect(list.scan()).rejects.toThrow("half a list");
  server.onPage = () => {};
  expect((await list.scan()).items).toEqual([1, 2, 3]);
});

test.each([
  [undefined, 3, 3],
  ['<https://x.example/?page=4>; rel="next", <https://x.example/?page=9>; rel="last"', 3, 9],
  ['<https://x.example/?page=4>; rel="next"', 3, 4],
  ['<https://x.example/?page=2>; rel="prev", <https://x.example/?page=1>; rel="first"', 3, 3],
])("a Link header %s on page %d leads to page %d", (link, page, last) => {
  expect(lastPage(link, page)).toBe(last);
});
