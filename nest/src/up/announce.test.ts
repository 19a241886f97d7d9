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

test("what is missing for hosted nests is told with the command that brings it", () => {
  const choices = readChoices(["-hosted"], { HOME: "/home/robin" });
  if (choices === undefined) throw new Error("these flags start something");
  const missing = [{ what: "podman is not installed", command: "apt-get install podman" }];
  const told = announcement(choices, place, { ...at, hasBrowserApp: true, hosted: { missing, isBuilding: false } });
  expect(told).toMatch(/Missing:\n +podman is not installed\n +apt-get install podman\n/);
  expect(told).not.toContain("/my-nests/new");
});

test("where nests can be created, the address for it is announced, with a token that is no secret", () => {
  const choices = readChoices(["-hosted"], { HOME: "/home/robin" });
  if (choices === undefined) throw new Error("these flags start something");
  const hosted = { missing: [], isBuilding: true };
  const told = announcement(choices, { ...place, hubToken: "demo" }, { ...at, hasBrowserApp: true, hosted });
  expect(told).toContain("http://127.0.0.1:8080/my-nests/new ");
  expect(told).toMatch(/ready once the Kubernetes API server is built/);
  expect(told).toMatch(/local code host only: demo$/m);
});

test("an agent in tmux is announced with what shows it", () => {
  const choices = readChoices(["-interactive"], { HOME: "/home/robin" });
  if (choices === undefined) throw new Error("these flags start something");
  const attach = "tmux -L nest-contributor-7 attach -t contributor";
  expect(announcement(choices, place, { ...at, hasBrowserApp: true, attach })).toContain(
    `watch it, and type: ${attach}`,
  );
});
