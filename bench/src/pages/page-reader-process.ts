import { constants, setPriority } from "node:os";
import type { ReaderAnswer, ReaderCommand } from "./page-readers.ts";
import { ReadingPage } from "./reading-page.ts";

// People's pages are on other machines: here they may not take the processor from the hub.
setPriority(constants.priority.PRIORITY_LOW);

/** Opens and closes operations pages as its parent tells it. */
let pages: ReadingPage[] = [];

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
    pages = Array.from({ length: command.pages }, () => new ReadingPage(command.place));
    await Promise.all(pages.map((page) => page.open()));
    return sumOf(pages);
  }
  const answer = sumOf(pages);
  for (const page of pages) page.close();
  pages = [];
  return answer;
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
