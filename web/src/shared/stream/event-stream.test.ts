import { stream } from "@nest/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connection, type Source, StreamFollower } from "./event-stream.ts";

/** An event source whose server is the test. */
class Line implements Source {
  readyState = 1;
  readonly #listeners: [name: string, act: (event: MessageEvent<string>) => void][] = [];
  addEventListener(name: string, act: (event: MessageEvent<string>) => void): void {
    this.#listeners.push([name, act]);
  }
  close(): void {
    this.readyState = 2;
  }
  says(name: string): void {
    for (const [wanted, act] of this.#listeners) if (wanted === name) act(new MessageEvent(name, { data: "{}" }));
  }
  breaks(): void {
    this.readyState = 2;
    this.says("error");
  }
}

let lines: Line[];
let follower: StreamFollower;
const last = () => lines.at(-1) as Line;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  lines = [];
  follower = new StreamFollower({
    url: "/events",
    events: [{ name: "hello", take: () => {} }],
    open: () => {
      lines.push(new Line());
      return last();
    },
    now: () => Date.now(),
    after: (ms, act) => {
      const timer = setTimeout(act, ms);
      return () => clearTimeout(timer);
    },
  });
  follower.follow();
});
afterEach(() => {
  follower.stop();
  vi.useRealTimers();
});

test("a page that hears heartbeats is live, however little happens", () => {
  last().says("hello");
  for (let beat = 0; beat < 20; beat += 1) {
    vi.advanceTimersByTime(stream.STREAM_HEARTBEAT_MS);
    last().says("heartbeat");
  }
  expect([connection.get().state, lines.length]).toEqual(["live", 1]);
});

test("a page that heard nothing for 30 seconds says so, says when it heard last, and connects anew", () => {
  last().says("hello");
  vi.advanceTimersByTime(stream.STREAM_SILENCE_MS);
  expect(connection.get().state).toBe("live");
  vi.advanceTimersByTime(2000);
  expect(connection.get()).toEqual({ state: "silent", lastHeardAt: 1_000_000 });
  expect([lines.length, lines[0]?.readyState]).toEqual([2, 2]);
  last().says("hello");
  expect(connection.get().state).toBe("live");
});

test("a server that takes the new line too and says nothing on it stays silent, and is tried again", () => {
  last().says("hello");
  vi.advanceTimersByTime(5 * stream.STREAM_SILENCE_MS);
  expect(connection.get().state).toBe("silent");
  expect(lines.length).toBeGreaterThan(3);
});

test("a server that never said a word is not called live", () => {
  vi.advanceTimersByTime(stream.STREAM_SILENCE_MS + 2000);
  expect(connection.get()).toEqual({ state: "silent", lastHeardAt: undefined });
});

test("a line that broke is tried again after a while, later each time, and at once when somebody asks", () => {
  last().says("hello");
  last().breaks();
  expect(connection.get().state).toBe("offline");
  vi.advanceTimersByTime(1000);
  expect(lines.length).toBe(2);
  last().breaks();
  vi.advanceTimersByTime(900);
  expect(lines.length).toBe(2);
  follower.retryNow();
  expect(lines.length).toBe(3);
});

test("what an old line still brings is not heard", () => {
  last().breaks();
  vi.advanceTimersByTime(1000);
  lines[0]?.says("hello");
  expect(connection.get().state).toBe("offline");
});
