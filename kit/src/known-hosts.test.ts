import { expect, test } from "vitest";
import { KnownHosts } from "./known-hosts.ts";

const hosts = new KnownHosts(["https://hub.example.org/nest", "other.example.org:8443", "*.svc.cluster.local"]);

test.each([
  "hub.example.org",
  "HUB.example.org:8080",
  "hub.example.org.",
  "other.example.org",
  "nest-hub.nest.svc.cluster.local:8080",
  "localhost",
  "localhost:3002",
  "127.0.0.1:8080",
  "[::1]:8080",
  "10.1.2.3",
])("a server is known as %s", (header) => {
  expect(hosts.has(header)).toBe(true);
});

test.each([
  "evil.example",
  "hub.example.org.evil.example",
  "evil-hub.example.org",
  "svc.cluster.local.evil.example",
  "svc.cluster.local",
  "localhost.evil.example",
  "127.0.0.1.evil.example",
  "hub.example.org@evil.example",
  "evil.example#hub.example.org",
  "hub.example.org/../evil",
  "hub.example.org, evil.example",
  "",
  " ",
  "[::1",
  "hub.example.org:port",
])("a server is not known as %j", (header) => {
  expect(hosts.has(header)).toBe(false);
});

test("a request without a host comes from no browser", () => {
  expect(hosts.has(undefined)).toBe(true);
});
