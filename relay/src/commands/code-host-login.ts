import { findBinary } from "@nest/agents";
import { Secret } from "@nest/kit";
import type { CommandDeps } from "./command.ts";

const ADDRESS_REMEDY = "check the network, and where the hub works with another code host NEST_GITHUB_API_URL";

/** Who the contributor is on the code host, and the token that says so. */
export interface CodeHostLogin {
  readonly login: string;
  readonly token: Secret;
  /** Where the token comes from, for people. */
  readonly from: string;
}

export interface CodeHostGap {
  readonly gap: string;
  readonly remedy: string;
}

/**
 * The contributor's own login: a token of the environment, else the code host's command-line client. The token is asked about
 * at the code host itself and goes nowhere else.
 */
export async function codeHostLogin(deps: CommandDeps): Promise<CodeHostLogin | CodeHostGap> {
  const { environment } = deps;
  const named = ["GH_TOKEN", "GITHUB_TOKEN"].find((name) => environment[name]);
  const text = named === undefined ? (await deps.read("gh", ["auth", "token"]))?.trim() : environment[named];
  const from = named ?? "gh auth token";
  if (text === undefined || text === "") {
    const gh = await findBinary("gh", environment.PATH);
    const remedy =
      gh === undefined ? "install gh from https://cli.github.com for gh auth login, or set GH_TOKEN" : "gh auth login";
    return { gap: "no login at the code host: run gh auth login, or set GH_TOKEN", remedy };
  }
  const token = new Secret(text);
  const api = (environment.NEST_GITHUB_API_URL || "https://api.github.com").replace(/\/+$/, "");
  try {
    const response = await deps.fetch(`${api}/user`, {
      headers: { authorization: `Bearer ${token.reveal()}`, accept: "application/json", "user-agent": "nest-relay" },
      signal: AbortSignal.timeout(10_000),
    });
    if (response.status === 401)
      return { gap: `the code host refuses the token of ${from}: sign in again`, remedy: "gh auth login" };
    const login = response.ok ? ((await response.json()) as { login?: unknown }).login : undefined;
    if (typeof login === "string" && login !== "") return { login, token, from };
    return { gap: `the code host answered ${response.status} when asked who this is`, remedy: ADDRESS_REMEDY };
  } catch {
    return { gap: `${api} does not answer`, remedy: ADDRESS_REMEDY };
  }
}
