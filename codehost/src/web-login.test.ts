import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Secret } from "@nest/kit";
import { expect, test } from "vitest";
import { finishWebLogin, webLoginAddress } from "./web-login.ts";

/** The example of RFC 7636, appendix B. */
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const SECRET = "a-very-secret-client-secret";

test("a browser is sent to the code host with a state and no secret", () => {
  const address = webLoginAddress({
    webUrl: "https://code.example/",
    clientId: "client",
    redirectUri: "https://hub.example/api/auth/callback",
    state: "s&t",
    verifier: VERIFIER,
  });
  const url = new URL(address);
  expect(url.origin + url.pathname).toBe("https://code.example/login/oauth/authorize");
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    client_id: "client",
    redirect_uri: "https://hub.example/api/auth/callback",
    state: "s&t",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
  });
  expect(url.searchParams.get("scope") ?? "").toBe("");
});

test.each([
  [{ access_token: "t-1" }, "t-1"],
  [{ error: "bad_verification_code" }, undefined],
  [{}, undefined],
])("a code is changed for a token, or refused without repeating a secret (%#)", async (answer, token) => {
  let form = "";
  const server = createServer((request, response) => {
    request.setEncoding("utf8").on("data", (chunk: string) => (form += chunk));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const webUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clientSecret = new Secret(SECRET);
  const finishing = finishWebLogin({ webUrl, clientId: "client", clientSecret, code: "c", verifier: VERIFIER });
  if (token !== undefined) expect((await finishing).reveal()).toBe(token);
  else
    await expect(finishing).rejects.toMatchObject({
      code: "codehost_refused",
      message: expect.not.stringContaining(SECRET),
    });
  expect(Object.fromEntries(new URLSearchParams(form))).toEqual({
    client_id: "client",
    client_secret: SECRET,
    code: "c",
    code_verifier: VERIFIER,
  });
  server.close();
});

test.each([
  [500, "codehost_unreachable"],
  [429, "codehost_unreachable"],
  [404, "codehost_refused"],
  [200, "codehost_bad_answer"],
])("a platform that answers %s and no JSON: %s, and no secret in it", async (status, code) => {
  const server = createServer((_request, response) => response.writeHead(status).end("<html>"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const webUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clientSecret = new Secret(SECRET);
  const finishing = finishWebLogin({ webUrl, clientId: "client", clientSecret, code: "c", verifier: VERIFIER });
  await expect(finishing).rejects.toMatchObject({ code, message: expect.not.stringContaining(SECRET) });
  server.close();
});
