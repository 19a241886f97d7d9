import { constants, setPriority } from "node:os";
import type { HubPlace } from "../load/bench-relay.ts";
import type { ReaderAnswer, ReaderCommand } from "./page-readers.ts";
import { ReadingPage } from "./reading-page.ts";
import { RecordedHub, Recording } from "./recorded-hub.ts";

// People's pages are on other machines: here they may not take the processor from the hub.
setPriority(constants.priority.PRIORITY_LOW);

/** Opens and closes operations pages as its parent tells it. */
let pages: ReadingPage[] = [];
/** What the first page of those that were opened last at a hub was told. */
let recording: Recording | undefined;
let recordedHub: RecordedHub | undefined;

process.on("message", (command: ReaderCommand) => {
  carryOut(command).then(
    (answer) => process.send?.(answer),
    (thrown) => {
      console.error(thrown);
      process.exit(1);
    },
  );
});
process.on("disconnect", () => process.exit(0));

async function carryOut(command: ReaderCommand): Promise<ReaderAnswer> {
  if (command.do === "open") {
    const { place, pages: count } = command;
    if (place === "recording") await openAtRecording(count);
    else openAt(place, count);
    await Promise.all(pages.map((page) => page.open()));
    return sumOf(pages);
  }
  const answer = sumOf(pages);
  for (const page of pages) page.close();
  pages = [];
  recordedHub?.close();
  recordedHub = undefined;
  return answer;
}

function openAt(place: HubPlace, count: number): void {
  recording = new Recording();
  pages = Array.from({ length: count }, (_, nth) => new ReadingPage(place, nth === 0 ? recording : undefined));
}

async function openAtRecording(count: number): Promise<void> {
  if (recording === undefined) throw new Error("no page was open at a hub yet");
  const { hub, place } = await RecordedHub.start(recording);
  recordedHub = hub;
  pages = Array.from({ length: count }, () => new ReadingPage(place));
}

function sumOf(all: readonly ReadingPage[]): ReaderAnswer {
  const sum = (of: (page: ReadingPage) => number) => all.reduce((total, page) => total + of(page), 0);
  return {
    open: sum(({ isOpen }) => Number(isOpen)),
    streamBytes: sum(({ streamBytes }) => streamBytes),
    events: sum(({ events }) => events),
    calls: sum(({ calls }) => calls),
    failed: sum(({ failed }) => failed),
  };
}
