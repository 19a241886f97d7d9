import { setEnvironmentData } from "node:worker_threads";
import { expect, test } from "vitest";
import { PatternJudge } from "./pattern-judge.ts";

/** A thread that matches everything, hangs at `/hang/`, ends at `/end/` and does so once at `/once/`. */
function strange(onLost: (pattern: string, because: string) => void): PatternJudge {
  const once = new Int32Array(new SharedArrayBuffer(4));
  const program = `
    import { parentPort, workerData, getEnvironmentData } from "node:worker_threads";
    const { progress } = workerData;
    parentPort.on("message", ({ sources, texts }) => {
      for (const [place, source] of sources.entries()) {
        Atomics.add(progress, 0, 1);
        Atomics.store(progress, 1, place);
        if (source === "/hang/") for (;;);
        if (source === "/end/") throw new Error("something broke");
        if (source === "/once/" && Atomics.add(getEnvironmentData("once"), 0, 1) === 0) process.exit();
      }
      parentPort.postMessage({ hits: texts.map(() => 0) });
    });`;
  setEnvironmentData("once", once);
  return new PatternJudge({
    onLost,
    deadlineMs: 200,
    program: new URL(`data:text/javascript,${encodeURIComponent(program)}`),
  });
}

test.each([
  ["/hang/", /longer than 200 ms/],
  ["/end/", /something broke/],
])(
  "a thread that is lost with %s is asked once more; then the pattern is named, once, and others are judged",
  async (pattern, because) => {
    const lost: string[][] = [];
    await using judge = strange((...of) => lost.push(of));
    const asked = judge.firstHits(["/fine/", pattern], ["text"]);
    const other = judge.firstHits(["/fine/"], ["text"]);
    expect(await asked).toBeUndefined();
    expect(await other).toEqual([0]);
    expect(await judge.firstHits([pattern], ["text"])).toBeUndefined();
    expect(lost).toEqual([[pattern, expect.stringMatching(because)]]);
  },
);

test("what was asked of a thread that ends once is answered by the next one", async () => {
  const lost: string[][] = [];
  await using judge = strange((...of) => lost.push(of));
  expect(await judge.firstHits(["/once/"], ["text"])).toEqual([0]);
  expect(lost).toEqual([]);
});

test("after the end of the hub nothing is judged and no thread starts", async () => {
  const judge = new PatternJudge();
  const asked = judge.firstHits(["/a/"], ["a"]);
  await judge.close();
  expect(await judge.firstHits(["/a/"], ["a"])).toBeUndefined();
  await asked;
});
