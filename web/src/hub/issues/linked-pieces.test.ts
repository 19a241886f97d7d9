import { expect, test } from "vitest";
import { nameOfAddress, piecesOf } from "./linked-pieces.ts";

const HOST = "https://code.example/acme/one/issues/1";
const shown = (text: string, host: string | undefined = HOST) =>
  piecesOf(text, host).map((piece) => (piece.kind === "words" ? piece.text : [piece.kind, piece.text]));

test("a pull request of the code host is called by its name", () => {
  expect(shown("an open pull request claims it (https://code.example/acme/one/pull/12), for another 2 hours")).toEqual([
    "an open pull request claims it (",
    ["pull request", "acme/one#12"],
    "), for another 2 hours",
  ]);
});

test("names of issues and tasks lead somewhere in whatever words they stand", () => {
  expect(shown("see acme/one#3, task-1f-9a3c71 and https://code.example/acme/two/issues/4.")).toEqual([
    "see ",
    ["issue", "acme/one#3"],
    ", ",
    ["task", "task-1f-9a3c71"],
    " and ",
    ["issue", "acme/two#4"],
    ".",
  ]);
});

test.each([
  "https://evil.example/acme/one/pull/12",
  "https://code.example.evil.example/acme/one/pull/12",
  "http://code.example/acme/one/pull/12",
  "https://code.example/acme/one/pull/12/files",
  "javascript:alert(1)",
])("no other address becomes a link: %s", (address) => {
  expect(shown(`done: ${address}`)).toEqual([`done: ${address}`]);
});

test("where the code host is not known, no address becomes a link", () => {
  expect(piecesOf("https://code.example/acme/one/pull/12", undefined).map(({ kind }) => kind)).toEqual(["words"]);
});

test("an address is named by what it leads to", () => {
  expect(nameOfAddress("https://code.example/acme/one/pull/12")).toBe("acme/one#12");
  expect(nameOfAddress("https://code.example/acme")).toBeUndefined();
});
