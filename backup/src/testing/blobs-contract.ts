import { type Blobs, listed } from "../storage/blobs.ts";

/** The test runner, passed in: only tests depend on it. */
type Runner = Pick<typeof import("vitest"), "test" | "expect">;

// No end of its own: the time of one test is what the runner allows, and a clock that starts
// with the file would run out during the tests when a server before them starts slowly.
const { signal } = new AbortController();
const options = { metadata: { files: "3" }, signal };
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "ok",
    (thrown: { code?: string }) => thrown.code,
  );

async function* inPieces(bytes: number, fill = 1): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes; at += 1_000_003) yield Buffer.alloc(Math.min(1_000_003, bytes - at), fill);
}

async function bytesOf(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** What every {@link Blobs} promises; each implementation runs it. */
export function blobsContract({ test, expect }: Runner, make: () => Promise<Blobs>): void {
  test.each([0, 1, 5_000_000, 20_000_000])("%i bytes come back as they were written", async (bytes) => {
    const blobs = await make();
    await blobs.put("a", inPieces(bytes), options);
    expect((await bytesOf(blobs.get("a", signal))).equals(Buffer.alloc(bytes, 1))).toBe(true);
    expect(await blobs.facts("a", signal)).toMatchObject({ bytes, metadata: { files: "3" } });
  });

  test.each([100, 20_000_000])("a name that is taken is not written over (%i bytes)", async (bytes) => {
    const blobs = await make();
    await blobs.put("a", inPieces(10, 7), options);
    expect(await codeOf(blobs.put("a", inPieces(bytes), options))).toBe("blob_exists");
    expect((await bytesOf(blobs.get("a", signal))).equals(Buffer.alloc(10, 7))).toBe(true);
  });

  test.each([100, 20_000_000])("content that fails leaves nothing under the name (after %i bytes)", async (bytes) => {
    const blobs = await make();
    async function* failing() {
      yield* inPieces(bytes);
      throw Object.assign(new Error("the source failed"), { code: "source_failed" });
    }
    await expect(blobs.put("a", failing(), options)).rejects.toThrow();
    expect(await listed(blobs, "", signal)).toEqual([]);
  });

  test("what is not there is absent", async () => {
    const blobs = await make();
    expect(await codeOf(bytesOf(blobs.get("none", signal)))).toBe("blob_absent");
    expect(await codeOf(blobs.facts("none", signal))).toBe("blob_absent");
  });

  test("listing goes by the beginning of the name; removing takes one away", async () => {
    const blobs = await make();
    for (const name of ["x-1", "x-2", "y-1"]) await blobs.put(name, inPieces(3), options);
    expect((await listed(blobs, "x-", signal)).map(({ name, bytes }) => [name, bytes]).sort()).toEqual([
      ["x-1", 3],
      ["x-2", 3],
    ]);
    expect(await blobs.remove("x-1", signal)).toBe("removed");
    expect((await listed(blobs, "x-", signal)).map(({ name }) => name)).toEqual(["x-2"]);
  });

  test("an object whose name begins with a dot is an object like any other", async () => {
    const blobs = await make();
    for (const name of ["a", ".verified.a"]) await blobs.put(name, inPieces(3), options);
    expect((await listed(blobs, ".verified.", signal)).map(({ name }) => name)).toEqual([".verified.a"]);
    expect((await listed(blobs, "a", signal)).map(({ name }) => name)).toEqual(["a"]);
    expect((await bytesOf(blobs.get(".verified.a", signal))).length).toBe(3);
  });

  test("a signal ends an upload and leaves nothing", async () => {
    const blobs = await make();
    const stop = new AbortController();
    async function* endless() {
      for (let piece = 0; ; piece += 1) {
        if (piece === 30) stop.abort(new Error("stopped"));
        yield Buffer.alloc(1_000_000, 1);
      }
    }
    await expect(blobs.put("a", endless(), { metadata: {}, signal: stop.signal })).rejects.toThrow("stopped");
    expect(await listed(blobs, "", signal)).toEqual([]);
  });
}
