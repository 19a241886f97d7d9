import type { Entry } from "@nest/dispatch";
import type { contribute } from "@nest/protocol";
import type { FileOf } from "./file-answer.ts";
import type { ReadModel } from "./read-model.ts";
import type { Visibility } from "./visibility.ts";

/** Issues that are made into rows at a time. */
const AT_A_TIME = 500;

/** Issues of the queue as a file. */
export function issueFile(
  readModel: ReadModel,
  entries: readonly Entry[],
  visibility: Visibility,
): FileOf<contribute.QueueItem> {
  return {
    name: "issues",
    columns: ["key", "title", "labels", "author", "updated_at", "stands", "until", "detail", "held_reason", "url"],
    cellsOf: ({ key, title, labels, author, updated_at, withheld, held_reason, url }) => [
      ...[key, title, labels.join(", "), author, updated_at],
      ...[withheld?.reason ?? "on offer", withheld?.until, withheld?.because, held_reason, url],
    ],
    rows: () => rowsOf(readModel, entries, visibility),
  };
}

function* rowsOf(
  readModel: ReadModel,
  entries: readonly Entry[],
  visibility: Visibility,
): Generator<readonly contribute.QueueItem[]> {
  for (let from = 0; from < entries.length; from += AT_A_TIME)
    yield entries.slice(from, from + AT_A_TIME).map((entry) => readModel.queueItem(entry, visibility));
}
