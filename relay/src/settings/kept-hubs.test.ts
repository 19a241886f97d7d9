import { expect, test } from "vitest";
import { readConfig } from "./config.ts";
import { hubsNotKept, keptFor } from "./kept-hubs.ts";

const kept = {
  NEST_HUB: "wss://a.example/contribute,wss://b.example/contribute",
  NEST_REGISTRATION_TOKEN: "of a,of b",
  CONTRIBUTOR_ID: "c-a,c-b",
};

test.each(["wss://b.example/contribute", "wss://b.example/contribute/", "https://b.example"])(
  "a hub that the shell names as %s gets its own token of contributor.env, and no other",
  (NEST_HUB) => {
    expect(readConfig({ NEST_HUB }, kept).hubs).toEqual([
      expect.objectContaining({ host: "b.example", token: "of b", contributorId: "c-b" }),
    ]);
  },
);

test("several hubs that the shell names get their tokens in the shell's order", () => {
  const { hubs } = readConfig({ NEST_HUB: "wss://b.example/contribute,wss://a.example/contribute" }, kept);
  expect(hubs.map(({ token, contributorId }) => [token, contributorId])).toEqual([
    ["of b", "c-b"],
    ["of a", "c-a"],
  ]);
});

test("a hub without a token of its own is refused by name, and is not given another hub's", () => {
  const environment = { NEST_HUB: "wss://c.example/contribute" };
  expect(() => keptFor(environment, kept)).toThrow("no registration at c.example is kept");
  expect(hubsNotKept(environment, kept)).toEqual(["c.example"]);
});

test("a token in the environment, or no hub in contributor.env, leaves what is kept as it is", () => {
  const environment = { NEST_HUB: "wss://c.example/contribute" };
  expect(keptFor({ ...environment, NEST_REGISTRATION_TOKEN: "own" }, kept)).toBe(kept);
  const old = { NEST_REGISTRATION_TOKEN: "t" };
  expect(keptFor(environment, old)).toBe(old);
});
