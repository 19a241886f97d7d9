import type { nests } from "@nest/protocol";
import { expect, test } from "vitest";
import { aNest, HostedScene } from "../harness/hosted-scene.ts";

const podman = { what: "podman is not installed", command: "apt-get install podman" };
const east = { id: "east", in_cluster: true, domain: "east.example.org", ingress: "ingress" };

test("on a cluster that lacks something no nest is made, and no record is left", async () => {
  await using scene = await HostedScene.start({ clusters: [{ ...east, missing: [podman] }] });
  await scene.user("ada");
  const { status, body } = await scene.as("ada", "POST", "/api/saas/nests", aNest);
  expect([status, body]).toMatchObject([503, { code: "cluster_incomplete" }]);
  expect((await scene.as("ada", "GET", "/api/saas/my-nests")).body).toMatchObject({ total: 0 });
});

test("what a cluster lacks, and the command that brings it, is for admins; others learn that it lacks something", async () => {
  await using scene = await HostedScene.start({ clusters: [{ ...east, missing: [podman] }] });
  for (const login of ["ada", "root"]) await scene.user(login);
  const shown = async (login: string) =>
    ((await scene.as(login, "GET", "/api/saas/clusters")).body as { clusters: nests.Cluster[] }).clusters[0];
  expect(await shown("root")).toMatchObject({ reachable: "incomplete", missing: [podman] });
  expect(await shown("ada")).toMatchObject({ reachable: "incomplete" });
  expect(await shown("ada")).not.toHaveProperty("missing");
});

test("a cluster's own port, hub address and variables reach its nests", async () => {
  const own = {
    ingress_port: 8088,
    hub_url: "http://10.0.0.1:8080",
    environment: { NEST_GITHUB_API_URL: "http://10.0.0.1:8090" },
  };
  await using scene = await HostedScene.start({ clusters: [{ ...east, domain: "localhost", ...own }] });
  await scene.user("ada");
  const id = await scene.create("ada");
  const { body } = await scene.as("ada", "GET", `/api/saas/nests/${id}`);
  expect(body).toMatchObject({ subdomain: `${id}.localhost:8088`, url: `http://${id}.localhost:8088` });
  const text = String((await scene.as("ada", "GET", `/api/saas/nests/${id}/manifests`)).body);
  expect(text).toContain(`host: ${id}.localhost\n`);
  expect(text).toContain(`public_url: http://${id}.localhost:8088`);
  expect(text).toMatch(/name: NEST_HUB_URL\n\s+value: http:\/\/10\.0\.0\.1:8080/);
  expect(text).toMatch(/name: NEST_GITHUB_API_URL\n\s+value: http:\/\/10\.0\.0\.1:8090/);
  expect(text).toContain("auth-url: http://hub.example.org/api/saas/auth-check");
});
