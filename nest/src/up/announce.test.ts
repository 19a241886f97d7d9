import { expect, test } from "vitest";
import { announcement } from "./announce.ts";
import { readChoices } from "./choices.ts";

const place = { login: "robin", words: "http://127.0.0.1:8090/meadow   a local stand-in" };
const at = { hubUrl: "http://127.0.0.1:8080", spokeUrl: "http://127.0.0.1:3002", terminalPort: 3001 };

function said(hasBrowserApp: boolean): string {
  const choices = readChoices(["-no-relay"], { HOME: "/home/robin" });
  if (choices === undefined) throw new Error("these flags start something");
  return announcement(choices, place, { ...at, hasBrowserApp });
}

test("each running program is announced with its address", () => {
  expect(said(true)).toContain("http://127.0.0.1:8080/operations ");
  expect(said(true)).toContain("sign in as robin");
});

test("an address of the browser app is not announced when the app was not built", () => {
  expect(said(false)).not.toContain("/operations");
  expect(said(false)).toContain("npm run build");
});
