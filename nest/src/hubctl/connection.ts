import { open } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Environment, isAbsent, Secret, UsageError, variable } from "@nest/kit";
import { apiTokens } from "@nest/protocol";

/** The hub that is asked, and the token that is sent to it alone. */
export interface Connection {
  /** Without a slash at its end. */
  readonly hub: string;
  readonly token: Secret;
}

const HOW =
  "set NEST_HUB_URL and NEST_HUB_TOKEN, or write them into ~/.config/nest/hubctl.env (mode 0600); an admin makes a token at /tokens";

/**
 * Where the hub is and who asks: from the environment, else from `~/.config/nest/hubctl.env`.
 *
 * @throws UsageError where one of them is missing or no address, or where others can read the file.
 */
export async function connectionOf(environment: Environment): Promise<Connection> {
  const kept = await keptIn(join(environment.HOME ?? homedir(), ".config/nest/hubctl.env"));
  const named = variable(environment, "NEST_HUB_URL");
  const address = named ?? variable(kept, "NEST_HUB_URL");
  // The file's token is for the file's hub, and not for one that some shell names.
  const token =
    variable(environment, "NEST_HUB_TOKEN") ?? (named === undefined ? variable(kept, "NEST_HUB_TOKEN") : undefined);
  if (address === undefined) throw new UsageError("NEST_HUB_URL is not set: which hub?", { hint: HOW });
  if (token === undefined) throw new UsageError("NEST_HUB_TOKEN is not set: who asks?", { hint: HOW });
  return { hub: hubOf(address), token: new Secret(token.trim()) };
}

/** A token on the command line stands in the list of processes, and in a shell's history. @throws UsageError */
export function refuseTokenInArguments(args: readonly string[]): void {
  if (args.some((arg) => arg.includes(apiTokens.TOKEN_PREFIX)))
    throw new UsageError("a token does not belong on the command line, where every user of this machine can read it", {
      hint: `revoke it at /tokens, make another, and ${HOW.slice(0, HOW.indexOf(";"))}`,
    });
}

function hubOf(address: string): string {
  const url = URL.parse(address);
  if (
    url === null ||
    (url.protocol !== "https:" && url.protocol !== "http:") ||
    url.username !== "" ||
    url.search !== ""
  )
    throw new UsageError("NEST_HUB_URL: not the address of a hub, such as https://hub.example");
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (url.protocol === "http:" && !isHere)
    throw new UsageError("NEST_HUB_URL: http:// shows the token to everybody on the way", { hint: "use https://" });
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

async function keptIn(path: string): Promise<Environment> {
  try {
    const file = await open(path, "r");
    try {
      const { mode } = await file.stat();
      if ((mode & 0o077) !== 0)
        throw new UsageError(`${path}: other users of this machine can read it`, { hint: `chmod 600 ${path}` });
      return linesOf(await file.readFile("utf8"), path);
    } finally {
      await file.close();
    }
  } catch (thrown) {
    if (isAbsent(thrown)) return {};
    throw thrown;
  }
}

/** `KEY=VALUE` lines, the value literally; nothing is executed or expanded. */
function linesOf(text: string, path: string): Environment {
  const values: Record<string, string> = Object.create(null);
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const match = /^([A-Z_]+)=(["']?)(.*)\2$/.exec(line);
    if (match === null) throw new UsageError(`${path}:${index + 1}: not a KEY=VALUE line`);
    values[match[1] ?? ""] = match[3] ?? "";
  }
  return values;
}
