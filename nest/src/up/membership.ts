import { join } from "node:path";
import { NestError, readTextIfPresent, writeFileAtomic } from "@nest/kit";
import { contribute, contributors } from "@nest/protocol";

export interface Membership {
  readonly contributorId: string;
  readonly token: string;
}

/**
 * The relay's place at the hub: kept from an earlier run, else registered now. `proof` is the login's own code-host token;
 * without one the hub's operator vouches for the login with the admin token.
 *
 * @throws NestError `not_registered` with the hub's own words.
 */
export async function membership(
  hubUrl: string,
  folder: string,
  login: string,
  { proof, adminToken }: { readonly proof: string | undefined; readonly adminToken: string },
): Promise<Membership> {
  const file = join(folder, "membership.json");
  const kept = await readTextIfPresent(file);
  if (kept !== undefined) return JSON.parse(kept) as Membership;
  let answer = await ask(hubUrl, contribute.register.path, proof ?? adminToken, { github_username: login });
  if (answer.registration_token === undefined && proof !== undefined) {
    answer = await ask(hubUrl, contribute.reissueToken.path, proof, {});
  }
  if (answer.registration_token === undefined) {
    throw new NestError("not_registered", `${login} is registered at this hub, but its token is lost`, {
      hint: "start over with -fresh, or another -data folder",
    });
  }
  const made = { contributorId: answer.contributor_id, token: answer.registration_token };
  await writeFileAtomic(file, JSON.stringify(made));
  return made;
}

/**
 * Makes a contributor trusted.
 *
 * @throws NestError `not_registered` when the hub does not do it.
 */
export async function trust(hubUrl: string, contributorId: string, adminToken: string): Promise<void> {
  const response = await fetch(hubUrl + contributors.setTrust.path.replace(":id", contributorId), {
    method: "PUT",
    headers: { "content-type": "application/json", authorization: `Bearer ${adminToken}` },
    body: JSON.stringify({ tier: "trusted" }),
  });
  if (!response.ok) throw new NestError("not_registered", `the hub did not trust the relay (${response.status})`);
}

async function ask(hubUrl: string, path: string, bearer: string, body: object) {
  const response = await fetch(hubUrl + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${bearer}`,
    },
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json();
  if (response.ok) return contribute.RegisterReply.parse(answer);
  throw new NestError(
    "not_registered",
    `the hub did not register the relay: ${(answer as { error?: string }).error ?? response.status}`,
  );
}
