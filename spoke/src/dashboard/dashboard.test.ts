import { expect, test } from "vitest";
import { readNestYaml } from "../config/nest-yaml.ts";
import { type HomePage, homePage } from "./home-page.ts";
import { mayRead, type Visit } from "./may-read.ts";

const aHome = (changes: Partial<HomePage> = {}): HomePage => ({
  nestId: "nest-1",
  version: "0.1.0",
  config: readNestYaml("project: {org: acme, repos: ['acme/<b>site']}\ngithub: {token: hush-hush}\n", "nest.yaml"),
  mayRead: true,
  hub: undefined,
  now: 0,
  ...changes,
});
const aVisit = (changes: Partial<Visit> = {}): Visit => ({
  listensOn: "0.0.0.0",
  peer: "127.0.0.1",
  isPublic: false,
  hubProxied: false,
  role: undefined,
  ...changes,
});

test("names are escaped and the token is nowhere", () => {
  const html = homePage(aHome());
  expect(html).toContain("acme/&#60;b&#62;site");
  expect(html).not.toContain("hush-hush");
});

test("a refused heartbeat is said in plain words", () => {
  const hub = {
    base: "http://hub.test",
    lastSuccessAt: undefined,
    lastOutcome: { kind: "rejected", status: 401 },
  } as const;
  expect(homePage(aHome({ hub }))).toContain("NEST_HUB_SECRET is missing or not the hub's");
});

test("a visitor who may not read learns no names", () => {
  expect(homePage(aHome({ mayRead: false }))).not.toContain("acme");
});

test.each([
  ["a public nest is for everybody", aVisit({ isPublic: true }), true],
  ["a nest on loopback is for this machine", aVisit({ listensOn: "127.0.0.1" }), true],
  ["a nest that others can reach keeps quiet until sign-in exists", aVisit(), false],
  ["the hub in front vouches for a role", aVisit({ hubProxied: true, role: "read" }), true],
  ["a missing role is no role", aVisit({ hubProxied: true }), false],
  ["an unknown role is no role", aVisit({ hubProxied: true, role: "king" }), false],
  ["a role from another machine is not believed", aVisit({ hubProxied: true, role: "owner", peer: "10.1.2.3" }), false],
])("%s", (_sentence, visit, allowed) => {
  expect(mayRead(visit)).toBe(allowed);
});
