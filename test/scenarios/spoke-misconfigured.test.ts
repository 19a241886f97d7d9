import { afterEach, describe, expect, test } from "vitest";
import { plainSeed } from "../harness/plain-seed.ts";
import { SPOKE_TOKEN, SpokeHere } from "../harness/spoke-here.ts";
import { VisitorHere } from "../harness/visitor-here.ts";

let spoke: SpokeHere;
afterEach(() => spoke[Symbol.asyncDispose]());

async function visitorOf(config: Record<string, unknown>, users = ""): Promise<VisitorHere> {
  spoke = await SpokeHere.start({
    seed: plainSeed(SPOKE_TOKEN, ["acme/secret-plans"], 0),
    config,
    environment: { NEST_AUTHORIZED_USERS: users },
  });
  return new VisitorHere(spoke.url);
}

/** Follows redirects as a browser does, and gives up where they do not end. */
async function open(visitor: VisitorHere, path: string): Promise<string> {
  for (let address = path, hops = 0; hops < 5; hops += 1) {
    const { status, headers, text } = await visitor.ask("GET", address, undefined, { accept: "text/html" });
    if (status !== 302) return text;
    address = headers.get("location") ?? "";
  }
  throw new Error(`${path} redirects for ever`);
}

const pages = ["/", "/overview", "/terminal/", "/backup", "/sign-in"];

describe("a configuration by which nobody can come in explains itself, and sends nobody in circles", {
  timeout: 60_000,
}, () => {
  test("hub_proxied without a hub's proxy in front", async () => {
    const visitor = await visitorOf({ dashboard: { hub_proxied: true } });
    for (const page of pages.slice(0, 4)) {
      const text = await open(visitor, page);
      expect([page, text]).toEqual([page, expect.stringContaining("did not come through the hub's proxy")]);
      for (const words of ["hub_proxied: false", "oauth_client_id", "dashboard.trusted_proxies"])
        expect(text).toContain(words);
      expect(text).not.toContain("secret-plans");
    }
    expect(await open(visitor, "/sign-in")).toContain("open the nest from there");
    expect((await visitor.ask("POST", "/api/gh-user-auth/start")).status).toBe(404);
    expect((await visitor.ask("GET", "/api/gh-user-auth/status")).body).toMatchObject({
      logged_in: false,
      by: "proxy",
    });
  });

  test("a sign-in without a client id", async () => {
    const visitor = await visitorOf({
      dashboard: { hub_proxied: false, authorized_users: ["ada:owner"], trusted_proxies: ["10.0.0.1"] },
    });
    for (const page of pages)
      expect([page, await open(visitor, page)]).toEqual([page, expect.stringContaining("github.oauth_client_id")]);
    const { status, body } = await visitor.ask("POST", "/api/gh-user-auth/start");
    expect([status, body.hint]).toEqual([404, expect.stringContaining("github.oauth_client_id")]);
    expect(spoke.process.said).toContain("nobody can sign in at this nest");
  });

  test("a sign-in that nobody is authorized for", async () => {
    const visitor = await visitorOf(
      {
        github: { token: SPOKE_TOKEN, oauth_client_id: "client" },
        dashboard: { hub_proxied: false, authorized_users: [] },
      },
      "odd:king,:owner,a b:read",
    );
    for (const page of pages)
      expect([page, await open(visitor, page)]).toEqual([page, expect.stringContaining("dashboard.authorized_users")]);
    expect((await visitor.ask("POST", "/api/gh-user-auth/start")).body.hint).toContain("dashboard.authorized_users");
    expect(spoke.process.said).toContain("an entry of authorized_users is not <login>:<role>");
  });
});
