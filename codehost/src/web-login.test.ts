import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Secret } from "@nest/kit";
import { expect, test } from "vitest";
import { finishWebLogin, webLoginAddress } from "./web-login.ts";

const SECRET = "a-very-secret-client-secret";

test("a browser is sent to the code host with a state and no secret", () => {
  const address = webLoginAddress({
    webUrl: "https://code.example/",
    clientId: "client",
    redirectUri: "https://hub.example/api/auth/callback",
    state: "s&t",
  });
  expect(address).toBe(
    "https://code.example/login/oauth/authorize?client_id=client&redirect_uri=https%3A%2F%2Fhub.example%2Fapi%2Fauth%2Fcallback&state=s%26t&scope=",
  );
});

test.each([
  [{ access_token: "t-1" }, "t-1"],
  [{ error: "bad_verification_code" }, undefined],
  [{}, undefined],
])("a code is changed for a token, or refused without repeating a secret (%#)", async (answer, token) => {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const webUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const finishing = finishWebLogin({ webUrl, clientId: "client", clientSecret: new Secret(SECRET), code: "c" });
  if (token !== undefined) expect((await finishing).reveal()).toBe(token);
  else
    await expect(finishing).rejects.toMatchObject({
      code: "codehost_refused",
      message: expect.not.stringContaining(SECRET),
    });
  server.close();
});
