import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { authShapeOf } from "./auth-shape.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = privateKey.export({ type: "pkcs1", format: "pem" }).toString();

describe("the three shapes of authentication", () => {
  test("a token", () => {
    const { record, secrets } = authShapeOf({ auth_method: "token", github_token: "ghp_abc" });
    expect(record).toEqual({ auth_method: "token" });
    expect(secrets.githubToken?.reveal()).toBe("ghp_abc");
  });

  test("an app with installation and key", () => {
    const shape = authShapeOf({ auth_method: "app", app_id: "1", installation_id: "2", app_private_key: pem });
    expect(shape.record).toEqual({ auth_method: "app", app_id: "1", installation_id: "2" });
    expect(shape.secrets.appKey?.reveal()).toBe(pem);
  });

  test("an app whose key or installation comes later", () => {
    expect(authShapeOf({ auth_method: "app", app_id: "1" }).record).toEqual({ auth_method: "app-later", app_id: "1" });
    expect(authShapeOf({ app_id: "1", app_private_key: pem }).record.auth_method).toBe("app-later");
    expect(authShapeOf({ app_id: "1", installation_id: "2", app_private_key: "" }).record.auth_method).toBe(
      "app-later",
    );
  });
});

test.each([
  ["neither token nor app", {}, "github_token"],
  ["a token of another kind", { github_token: "gho_abc" }, "github_token"],
  ["an app without its number", { auth_method: "app", installation_id: "2" }, "app_id"],
  ["a key that is no PEM", { app_id: "1", app_private_key: "hello-secret" }, "app_private_key"],
  ["a key that is cut short", { app_id: "1", app_private_key: pem.slice(0, 400) }, "app_private_key"],
  [
    "a public key",
    { app_id: "1", app_private_key: publicKey.export({ type: "spki", format: "pem" }).toString() },
    "app_private_key",
  ],
])("%s is refused by its field, and no value is repeated", (_, fields, field) => {
  const thrown = (() => {
    try {
      return authShapeOf(fields);
    } catch (error) {
      return error as Error;
    }
  })();
  expect(thrown).toMatchObject({ code: "bad_request", message: expect.stringMatching(`^${field}: `) });
  expect(JSON.stringify(thrown) + String((thrown as Error).message)).not.toContain("hello-secret");
});
