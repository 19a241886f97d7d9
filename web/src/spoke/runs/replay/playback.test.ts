import { beforeEach, expect, test } from "vitest";
import type { Cast } from "./cast.ts";
import { Playback, type Screen } from "./playback.ts";

const print = (at: number, text: string) => ({ at, kind: "print", text }) as const;
const castOf = (...events: Cast["events"]): Cast => ({ columns: 80, rows: 24, events });

let shown = "";
let sizes: string[] = [];
const screen: Screen = {
  print: (text) => (shown += text),
  size: (columns, rows) => sizes.push(`${columns}x${rows}`),
  clear: () => (shown = ""),
};
beforeEach(() => {
  shown = "";
  sizes = [];
});

test("what is due is shown as time goes by, at the chosen speed, up to the end", () => {
  const playback = new Playback(castOf(print(0, "a"), print(1000, "b"), print(3000, "c")), screen);
  playback.play();
  expect([playback.advance(999), shown]).toEqual([true, "a"]);
  expect([playback.advance(1), shown]).toEqual([true, "ab"]);
  playback.setSpeed(4);
  expect([playback.advance(500), shown]).toEqual([false, "abc"]);
  expect(playback.state).toEqual({ position: 3000, isPlaying: false, speed: 4 });
});

test("going back begins anew and shows everything up to there", () => {
  const playback = new Playback(castOf(print(0, "a"), print(1000, "b"), print(2000, "c")), screen);
  playback.seek(2000);
  playback.seek(1500);
  expect(shown).toBe("ab");
  playback.seek(-9);
  expect([shown, playback.state.position]).toEqual(["a", 0]);
});

test("a new size comes between what was printed before and after it", () => {
  const said: string[] = [];
  const playback = new Playback(castOf(print(0, "a"), { at: 1, kind: "size", columns: 100, rows: 30 }, print(2, "b")), {
    print: (text) => said.push(text),
    size: (columns) => said.push(String(columns)),
    clear: () => undefined,
  });
  playback.seek(2);
  expect(said).toEqual(["80", "a", "100", "b"]);
});

test("who watches a run at its end sees what it prints next; who looks at something earlier is left there", () => {
  const begun = castOf(print(0, "a"), print(1000, "b"));
  const longer = castOf(...begun.events, print(2000, "c"));
  const watching = new Playback(begun, screen);
  watching.seek(1000);
  watching.extend(longer);
  expect([shown, watching.state.position]).toEqual(["abc", 2000]);
  const reading = new Playback(begun, screen);
  reading.seek(500);
  reading.extend(longer);
  expect([shown, reading.state.position]).toEqual(["a", 500]);
});

test("played to the end, it plays from the beginning", () => {
  const playback = new Playback(castOf(print(0, "a"), print(1000, "b")), screen);
  playback.seek(1000);
  playback.play();
  expect([shown, playback.state.position, playback.state.isPlaying]).toEqual(["a", 0, true]);
});
