import { generateKeyPairSync } from "node:crypto";
import { nests } from "@nest/protocol";
import { expect, test } from "vitest";
import {
  emptyDraft,
  faultOfAnswer,
  faultsOf,
  keyFault,
  type NestDraft,
  projectOf,
  stepOf,
  wizardSteps,
} from "./nest-draft.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = privateKey.export({ type: "pkcs1", format: "pem" }).toString();
const draft: NestDraft = { ...emptyDraft, repos: ["acme/shop", "acme/web"], token: "ghp_abc", cluster: "east" };
const creating = { isClaim: false, hasClusters: true };
const faults = (change: Partial<NestDraft>) => Object.keys(faultsOf({ ...draft, ...change }, creating));

test("a whole draft has no faults, and the hub's own schema takes it", () => {
  expect(faults({})).toEqual([]);
  for (const change of [
    {},
    { auth: "app", appId: "7", installationId: "8", key: pem },
    { auth: "app-later", appId: "7" },
    { name: "The shop", primary: "acme/web", isPublic: false, level: 6 },
  ] as const)
    expect(
      nests.CreateNest.safeParse({ ...projectOf({ ...draft, ...change }), cluster_id: "east" }).error,
    ).toBeUndefined();
});

test.each([
  [{ repos: [] }, ["repos"]],
  [{ token: "" }, ["token"]],
  [{ token: "gho_abc" }, ["token"]],
  [{ token: "ghp_a\nb: c" }, ["token"]],
  [{ cluster: undefined }, ["cluster"]],
  [{ auth: "app" }, ["appId", "installationId", "key"]],
  [{ auth: "app", appId: "7", installationId: "x", key: pem }, ["installationId"]],
  [{ auth: "app-later" }, ["appId"]],
] as const)("%o has its faults beside its fields", (change, fields) => {
  expect(faults(change)).toEqual(fields);
});

test("a claim wants an owner, and no cluster", () => {
  const claim = { ...draft, cluster: undefined };
  expect(Object.keys(faultsOf(claim, { isClaim: true, hasClusters: false }))).toEqual(["owner"]);
});

test.each([
  ["", "paste"],
  [publicKey.export({ type: "spki", format: "pem" }).toString(), "not a private key"],
  [pem.slice(0, -30), "not a whole private key"],
  [pem.replaceAll("RSA PRIVATE", "ENCRYPTED PRIVATE"), "passphrase"],
  ["hello", "not a whole private key"],
])("a key that is none is told apart", (text, words) => {
  expect(keyFault(text)).toContain(words);
});

test("what is not chosen is not sent: a token with an app, a key with a token", () => {
  const all = { ...draft, token: "ghp_abc", appId: "7", installationId: "8", key: pem };
  expect(Object.keys(projectOf({ ...all, auth: "token" }))).not.toContain("app_private_key");
  expect(projectOf({ ...all, auth: "app-later" })).not.toHaveProperty("installation_id");
  expect(projectOf({ ...all, auth: "app" })).not.toHaveProperty("github_token");
});

test("the primary repository is the first one, unless another one of them is chosen", () => {
  const of = (primary: string) => projectOf({ ...draft, primary }).primary_repo;
  expect([of(""), of("acme/web"), of("gone/away")]).toEqual(["acme/shop", "acme/web", "acme/shop"]);
});

test("a refusal of the hub leads to the field that it names, and one that names none to no field", () => {
  expect(faultOfAnswer("app_id: digits only")).toEqual({ appId: "digits only" });
  expect(faultOfAnswer("you may have 2 nests, and have 2")).toBeUndefined();
  expect(faultOfAnswer("toString: x")).toBeUndefined();
});

test("every field is asked for in one step", () => {
  const asked = wizardSteps.flatMap(({ fields }) => [...fields]);
  expect(asked.toSorted()).toEqual(Object.keys(emptyDraft).toSorted());
  expect(stepOf("key")).toBe(2);
});
