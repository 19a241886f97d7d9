import { expect, test } from "vitest";
import { readNestYaml } from "../config/nest-yaml.ts";
import { type HomePage, homePage } from "./home-page.ts";

const aHome = (changes: Partial<HomePage> = {}): HomePage => ({
  nestId: "nest-1",
  version: "0.1.0",
  config: readNestYaml("project: {org: acme, repos: ['acme/<b>site']}\ngithub: {token: hush-hush}\n", "nest.yaml"),
  notUsed: [],
  visitor: { kind: "known", login: "ada", role: "owner" },
  signIn: { by: "device" },
  hub: undefined,
  now: 0,
  ...changes,
});
test("names are escaped and the token is nowhere", () => {
  const html = homePage(aHome());
  expect(html).toContain("acme/&lt;b&gt;site");
  expect(html).not.toContain("hush-hush");
});

test("a refused heartbeat is said in plain words", () => {
  const hub = {
    base: "http://hub.test",
    lastSuccessAt: undefined,
    lastOutcome: { kind: "rejected", status: 401 },
  } as const;
  expect(homePage(aHome({ hub }))).toContain("NEST_HUB_SECRET is missing or not the hub&#39;s");
});

test("the first page leads to the others, as all pages do", () => {
  expect(homePage(aHome())).toContain('<a href="/overview">Overview</a>');
  const reader = { kind: "known", login: "rita", role: "read" } as const;
  expect(homePage(aHome({ visitor: reader }))).not.toMatch(/"\/(?:backup|terminal\/|audit)"/);
});

test("a visitor who may not read learns no names", () => {
  expect(homePage(aHome({ visitor: { kind: "stranger", because: "no session" } }))).not.toContain("acme");
});
