import { NestError, Secret } from "@nest/kit";
import { namespaceOf } from "@nest/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { aRequest, Scene } from "../testing/scene.ts";

let scene: Scene;
beforeEach(async () => {
  scene = await Scene.make();
});
afterEach(async () => {
  await scene[Symbol.asyncDispose]();
});

const signal = new AbortController().signal;

describe("a placeholder", () => {
  async function placeholder() {
    const hub = scene.hub();
    const { id } = await hub.createPlaceholder("east", "hub");
    await scene.settle(hub);
    return { hub, id };
  }
  const claim = {
    ...aRequest({ owner: "hexa", secrets: { githubToken: new Secret("ghp_abc") }, auth: { auth_method: "token" } }),
  };

  test("is provisioned, scaled to 0 and available", async () => {
    const { id } = await placeholder();
    expect(id).toMatch(/^hosted-available-east-\d{6}-[a-z0-9]{4}$/);
    expect(await scene.records.get(id)).toMatchObject({ status: "available", owner: "", replicas: 0 });
    expect(await scene.east.pods(namespaceOf(id), signal)).toEqual([]);
  });

  test("nobody claims what is not available, and nobody twice", async () => {
    const { hub, id } = await placeholder();
    const both = await Promise.allSettled([hub.claim(id, claim), hub.claim(id, claim)]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const refused = both.find((one) => one.status === "rejected");
    expect(refused?.reason).toBeInstanceOf(NestError);
    expect(refused?.reason).toMatchObject({ code: "nest_not_available" });
  });

  test("a claim sets owner and project, brings the credentials and scales to 1", async () => {
    const { hub, id } = await placeholder();
    const before = await scene.secretOf(id);
    scene.east.changes.length = 0;
    await hub.claim(id, claim);
    await scene.settle(hub);
    expect(await scene.records.get(id)).toMatchObject({
      owner: "hexa",
      org: "acme",
      repos: ["acme/widgets"],
      replicas: 1,
    });
    expect(scene.east.changes).toContain(`scale Deployment ${namespaceOf(id)}/nest to 1`);
    const after = await scene.secretOf(id);
    expect(after["github-token"]).toBe("ghp_abc");
    expect(after["dashboard-token"]).toBe(before["dashboard-token"]);
  });

  test("a claim lays project and app ids over an overlay that is there, keeps the rest of it, and starts the nest again", async () => {
    const { hub, id } = await placeholder();
    const { overlays } = scene.controllers.east;
    overlays.set(namespaceOf(id), "project:\n  org: before\ndashboard:\n  port: 3002\n");
    scene.east.changes.length = 0;
    await hub.claim(id, aRequest());
    await scene.settle(hub);
    expect(parse(overlays.get(namespaceOf(id)) ?? "")).toEqual({
      project: { org: "acme", repos: ["acme/widgets"], primary_repo: "acme/widgets" },
      dashboard: { port: 3002 },
      github: { app_id: 123, installation_id: 456, key_file: "/secrets/app-key.pem" },
      acmm_level: 2,
    });
    expect(scene.east.changes.at(-1)).toMatch(/^delete Pod /);
  });

  test("a claim of a nest without an overlay writes one, and starts nothing again", async () => {
    const { hub, id } = await placeholder();
    scene.east.changes.length = 0;
    await hub.claim(id, aRequest());
    await scene.settle(hub);
    expect(parse(scene.controllers.east.overlays.get(namespaceOf(id)) ?? "")).toMatchObject({
      project: { org: "acme" },
    });
    expect(scene.east.changes.some((change) => change.startsWith("delete Pod"))).toBe(false);
  });
});
