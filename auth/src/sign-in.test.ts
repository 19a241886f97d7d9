import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { CodeHostMemory } from "@nest/codehost";
import { Secret, seededRandom, VirtualClock } from "@nest/kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Once, pathHere, SignIn } from "./sign-in.ts";
import { Signer } from "./signer.ts";

const TEN_MINUTES_MS = 10 * 60_000;

/** What the code host answers next, and the last form that it was sent. */
let answer: object;
let form: URLSearchParams;
let server: Server;
let clock: VirtualClock;
let signIn: SignIn;

beforeEach(async () => {
  answer = { access_token: "token-of-ada", scope: "" };
  server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    request.on("end", () => {
      form = new URLSearchParams(text);
      response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  clock = new VirtualClock();
  signIn = make("sign-in");
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

function make(purpose: string): SignIn {
  const codeHost = new CodeHostMemory();
  codeHost.users.set("token-of-ada", "ada");
  const seen = new Set<string>();
  const once: Once = {
    async isFirst(name) {
      if (seen.has(name)) return false;
      seen.add(name);
      return true;
    },
  };
  return new SignIn({
    words: { what: "hub", hint: "set a client" },
    codeHost,
    oauth: { clientId: "client", clientSecret: new Secret("client-secret") },
    webUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    signer: new Signer(Buffer.alloc(32, 7), purpose),
    once,
    clock,
    random: seededRandom(1),
  });
}

/** Sends a browser away, and says what it comes back with. */
function away(to = "/settings") {
  const { address, nonce } = signIn.goThere("https://hub.example/api/auth/callback", to);
  const { searchParams } = new URL(address);
  return { nonce, state: searchParams.get("state") ?? "", challenge: searchParams.get("code_challenge") };
}

test("a browser comes back to where it wanted to go, with the account that the code host names", async () => {
  const { nonce, state } = away();
  const { account, to } = await signIn.comeBack({ code: "c", state }, nonce);
  expect([account.login, to]).toEqual(["ada", "/settings"]);
});

test("a code is exchanged only by the server that redirected the browser (PKCE)", async () => {
  const { nonce, state, challenge } = away();
  await signIn.comeBack({ code: "c", state }, nonce);
  const verifier = form.get("code_verifier") ?? "";
  expect(createHash("sha256").update(verifier).digest("base64url")).toBe(challenge);
  expect(form.get("code")).toBe("c");
});

test("a redirected browser may return once", async () => {
  const { nonce, state } = away();
  await signIn.comeBack({ code: "c", state }, nonce);
  await expect(signIn.comeBack({ code: "c", state }, nonce)).rejects.toMatchObject({ code: "sign_in_failed" });
});

test("a stolen state is useless without the cookie that belongs to it", async () => {
  const { state } = away();
  for (const nonce of [undefined, "another"])
    await expect(signIn.comeBack({ code: "c", state }, nonce)).rejects.toMatchObject({ code: "sign_in_failed" });
});

test("a state signed for another purpose, or ten minutes old, is refused", async () => {
  const { nonce, state } = away();
  await expect(make("session").comeBack({ code: "c", state }, nonce)).rejects.toMatchObject({ code: "sign_in_failed" });
  await clock.jump(TEN_MINUTES_MS);
  await expect(signIn.comeBack({ code: "c", state }, nonce)).rejects.toMatchObject({ code: "sign_in_failed" });
});

test("a device waits until a person has typed the code, then its account is known", async () => {
  answer = { device_code: "d", user_code: "AB-CD", verification_uri: "https://code.example/device", expires_in: 60 };
  const { login_id } = await signIn.startDevice();
  answer = { error: "authorization_pending" };
  expect(await signIn.pollDevice(login_id)).toEqual({ status: "pending" });
  answer = { error: "slow_down", interval: 10 };
  expect(await signIn.pollDevice(login_id)).toEqual({ status: "pending", interval: 10 });
  answer = { access_token: "token-of-ada" };
  expect(await signIn.pollDevice(login_id)).toMatchObject({ status: "complete", account: { login: "ada" } });
  await clock.jump(60_000);
  expect(await signIn.pollDevice(login_id)).toEqual({ status: "expired" });
  await expect(signIn.pollDevice("forged.login")).rejects.toMatchObject({ code: "bad_request" });
});

test.each([
  ["/settings?tab=1", "/settings?tab=1"],
  ["//evil.example", "/"],
  ["/\\evil.example", "/"],
  ["https://evil.example", "/"],
  ["/with space", "/"],
  [undefined, "/"],
])("after a sign-in to %s a browser goes to %s", (wanted, to) => {
  expect(pathHere(wanted)).toBe(to);
});
