import { blobsContract, HubUnderTest, S3Blobs, storageTool } from "@nest/backup/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { FaultProxy } from "../real-s3/fault-proxy.ts";
import { hasRealS3, RealS3 } from "../real-s3/real-s3.ts";

// No end of its own: the time of one test is what the runner allows, and a clock that starts
// with the file would run out during the tests when a server before them starts slowly.
const { signal } = new AbortController();
const PART = "partNumber=";

describe.skipIf(!hasRealS3())("against a real S3 server", () => {
  let s3: RealS3;
  let proxy: FaultProxy;
  let hub: HubUnderTest;
  let bucket = "";
  let number = 0;

  beforeAll(async () => {
    s3 = await RealS3.start();
    // The standard chain: what an operator sets.
    process.env.AWS_ACCESS_KEY_ID = s3.accessKey;
    process.env.AWS_SECRET_ACCESS_KEY = s3.secretKey;
    proxy = await FaultProxy.start(s3.endpoint);
  }, 400_000);
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await s3?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    proxy.fault = () => undefined;
    proxy.seen.length = 0;
    bucket = `nest-${number++}`;
    await storageTool(s3.endpoint).makeBucket(bucket);
    hub = new HubUnderTest(Date.now());
    hub.blobs = open();
    hub.environment = { ...hub.environment, NEST_BACKUP_RETENTION: "2" };
  });
  afterEach(() => hub[Symbol.dispose]());

  const open = (silenceMs = 5000) => new S3Blobs(bucket, { NEST_BACKUP_OBJSTORE_ENDPOINT: proxy.endpoint }, silenceMs);
  const names = async () => {
    await hub.run("list");
    return hub.out.split("\n").flatMap((line) => line.split(" ")[0] || []);
  };
  /** More than a few parts, and nothing that compresses. */
  const makeLarge = () => hub.write("saas/large.bin", noise(30 * 1024 * 1024));

  describe("the contract", () => blobsContract({ test, expect }, async () => open()));

  test("a run uploads in parts while it seals, reads back, verifies and prunes", async () => {
    makeLarge();
    for (let day = 0; day < 3; day += 1) {
      expect([await hub.run("run"), hub.err]).toEqual([0, ""]);
      await hub.clock.advance(60_000);
    }
    expect(proxy.seen.filter((line) => line.includes(PART)).length).toBeGreaterThan(6);
    expect(await names()).toHaveLength(2);
    expect(await hub.run("verify")).toBe(0);
    expect(await hub.run("status")).toBe(0);
  });

  test("parts that fail for a while are sent again", async () => {
    makeLarge();
    let failures = 0;
    proxy.fault = (_, url) =>
      url.includes(PART) && failures++ % 2 === 0 ? { answer: failures % 3 === 0 ? 503 : 500 } : undefined;
    expect([await hub.run("run"), hub.err]).toEqual([0, ""]);
    expect(failures).toBeGreaterThan(4);
  });

  test("a storage that always fails fails the run and leaves no upload behind", async () => {
    makeLarge();
    proxy.fault = (method, url) => (method === "PUT" && url.includes("partNumber=2") ? { answer: 500 } : undefined);
    expect(await hub.run("run")).toBe(1);
    expect(hub.err).toContain("the storage answered 500");
    expect(await names()).toEqual([]);
    expect(await storageTool(s3.endpoint).uploads(bucket)).toEqual([]);
  });

  test("a storage that forbids is told with a hint", async () => {
    proxy.fault = (method) => (method === "PUT" ? { answer: 403 } : undefined);
    expect(await hub.run("run")).toBe(1);
    expect(hub.err).toContain("the storage refuses");
    expect(hub.err).toContain("hint: check the storage credentials");
  });

  test("a storage that stalls is given up, not waited for for ever", async () => {
    hub.blobs = open(300);
    proxy.fault = (method) => (method === "PUT" ? { stall: true } : undefined);
    const started = performance.now();
    expect(await hub.run("run")).toBe(1);
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(hub.err).toContain("the storage does not answer");
  });

  test.each(["lie", "cut"] as const)(
    "a storage that %ss when it is read back fails the run; the older archives stay",
    async (how) => {
      await hub.run("run");
      await hub.clock.advance(60_000);
      const before = await names();
      const fault = how === "lie" ? { lie: true as const } : { cut: true as const };
      proxy.fault = (method, url) =>
        method === "GET" && url.includes(".tar.gz.enc") && !url.includes("tagging") ? fault : undefined;
      expect(await hub.run("run")).toBe(1);
      expect(hub.err).toContain("was stored but did not verify");
      proxy.fault = () => undefined;
      expect(await names()).toEqual(before);
    },
  );

  test("two runs in the same second make two archives", async () => {
    expect(await Promise.all([hub.run("run"), hub.run("run")])).toEqual([0, 0]);
    expect(await names()).toHaveLength(2);
  });

  test("a run without the right to delete keeps what is there: exit 0", async () => {
    proxy.fault = (method) => (method === "DELETE" ? { answer: 403 } : undefined);
    for (let day = 0; day < 3; day += 1) {
      expect(await hub.run("run")).toBe(0);
      await hub.clock.advance(60_000);
    }
    expect(await names()).toHaveLength(3);
  });

  test("a locked archive is kept until its lock ends; list tells until when", async () => {
    bucket = `nest-locked-${number++}`;
    await storageTool(s3.endpoint).makeBucket(bucket, { locks: true });
    hub.blobs = open();
    hub.environment = { ...hub.environment, NEST_BACKUP_LOCK_DAYS: "3" };
    expect([await hub.run("run"), hub.err]).toEqual([0, ""]);
    await hub.run("list");
    expect(hub.out).toMatch(/verified \S+ {2}locked until/);
    expect(await hub.run("status")).toBe(0);
    expect(await hub.run("verify")).toBe(0);
  });

  test("a storage without object tags tells all the same what was found good", async () => {
    proxy.fault = (_, url) => (url.includes("tagging") ? { answer: 501 } : undefined);
    expect([await hub.run("run"), hub.err]).toEqual([0, ""]);
    expect(await hub.run("status")).toBe(0);
    await hub.run("list");
    expect(hub.out).toContain("  verified ");
    expect(proxy.seen.filter((line) => line.includes("tagging"))).toEqual([]);
  });

  test("a storage that takes no note of it is told; the archive is made: exit 0", async () => {
    proxy.fault = (method, url) => (method === "PUT" && url.includes(".verified.") ? { answer: 403 } : undefined);
    expect(await hub.run("run")).toBe(0);
    expect(hub.out).toContain("was found good could not be noted in the storage: the storage refuses");
    expect(await hub.run("status")).toBe(1);
  });

  test("our own abandoned uploads are ended after a day, nobody else's", async () => {
    const tool = storageTool(s3.endpoint);
    await tool.beginUpload(bucket, "nest-hub-backup-nest-hub-20261101T031700Z.tar.gz.enc");
    await tool.beginUpload(bucket, "nest-hub-backup-another-20261101T031700Z.tar.gz.enc");
    await hub.run("run");
    expect(await tool.uploads(bucket)).toHaveLength(2);
    await hub.clock.advance(25 * 3_600_000);
    await hub.run("run");
    expect(await tool.uploads(bucket)).toEqual(["nest-hub-backup-another-20261101T031700Z.tar.gz.enc"]);
  });

  test("behind a thousand uploads of others our own are found too", { timeout: 120_000 }, async () => {
    const tool = storageTool(s3.endpoint);
    const begin = (number: number) => tool.beginUpload(bucket, `another/${String(number).padStart(4, "0")}`);
    for (let number = 0; number < 1025; number += 25)
      await Promise.all(Array.from({ length: 25 }, (_, at) => begin(number + at)));
    await tool.beginUpload(bucket, "nest-hub-backup-nest-hub-20261101T031700Z.tar.gz.enc");
    const isOurs = (name: string) => name.startsWith("nest-hub-backup-nest-hub-");
    expect(await hub.blobs.sweep(isOurs, Date.now() + 60_000, signal)).toBe(1);
    expect(await hub.blobs.sweep(isOurs, Date.now() + 60_000, signal)).toBe(0);
  });

  test("a listing of more than a page is read to its end", async () => {
    const put = async (index: number) => {
      const stamp = `2025${String(10 + (index % 3)).padStart(2, "0")}01T00${String(Math.floor(index / 60)).padStart(2, "0")}${String(index % 60).padStart(2, "0")}Z`;
      const content = (async function* () {
        yield Buffer.from("x");
      })();
      await hub.blobs
        .put(`nest-hub-backup-nest-hub-${stamp}.tar.gz.enc`, content, { metadata: {}, signal })
        .catch(() => {});
    };
    for (let index = 0; index < 1050; index += 25)
      await Promise.all(Array.from({ length: 25 }, (_, at) => put(index + at)));
    hub.environment = { ...hub.environment, NEST_BACKUP_RETENTION: "3" };
    expect(await hub.run("run", "-json")).toBe(0);
    expect(JSON.parse(hub.out).pruned.removed).toHaveLength(1048);
  }, 400_000);

  test("an unknown bucket and a wrong credential are told", async () => {
    hub.blobs = new S3Blobs("nest-no-such", { NEST_BACKUP_OBJSTORE_ENDPOINT: proxy.endpoint });
    expect(await hub.run("list")).toBe(1);
    expect(hub.err).toContain("the bucket does not exist");
    proxy.fault = () => ({ answer: 401 });
    expect(await hub.run("list")).toBe(1);
    expect(hub.err).toContain("the storage refuses");
  });
});

function noise(bytes: number): Buffer {
  const block = Buffer.alloc(bytes);
  let state = 1;
  for (let at = 0; at < bytes; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    block.writeUInt32LE(state, at);
  }
  return block;
}
