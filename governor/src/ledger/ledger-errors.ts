import { NestError } from "@nest/kit";
import type { Refusal } from "./book/book.ts";

/** What is wrong with what the caller asked for, as a sentence with a hint. */
export function refusalError(refusal: Refusal, id: string): NestError {
  switch (refusal) {
    case "bead_unknown":
      return new NestError("bead_unknown", `there is no bead ${id} in this ledger`, {
        hint: "nest beads list shows the ids; every agent has a ledger of its own",
      });
    case "bead_changed":
      return new NestError("bead_changed", `${id} is in another status by now`, {
        hint: "look at it again: another agent may have taken it",
      });
    case "bead_too_large":
      return new NestError(
        "bead_too_large",
        `${id} would hold more than a bead may: 64 KiB of notes, 200 dependencies`,
        {
          hint: "put long texts into a file of the repository and name it in the notes",
        },
      );
    case "ledger_full":
      return new NestError("ledger_full", "the ledger is full: 200,000 beads, or 64 MiB of texts", {
        hint: "export it, and begin a new ledger in an empty folder",
      });
    case "bead_exists":
    case "overtaken":
      return new NestError("ledger_busy", "other writers were faster again and again", { hint: "try again" });
  }
}

export function unknownDependency(id: string): NestError<"bead_dependency_unknown"> {
  return new NestError("bead_dependency_unknown", `there is no bead ${id} to depend on in this ledger`, {
    hint: "write that bead down first",
  });
}

export function circleError(id: string, dependency: string): NestError<"bead_circle"> {
  return new NestError("bead_circle", `${dependency} already waits for ${id}: both would wait for ever`, {
    hint: `nest beads show ${dependency} tells what it waits for`,
  });
}

export function invalidBead(because: string): NestError<"bead_invalid"> {
  return new NestError("bead_invalid", because, { hint: "nest beads create -h tells what a bead has" });
}
