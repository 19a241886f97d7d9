import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "@nest/kit";

/** How the contributor is signed in to the code host on this machine, as far as it can be seen; undefined without evidence. */
export interface OwnLogin {
  /** A token of the environment, or a login of the code host's command-line client. */
  readonly kind: "pat" | "oauth";
  /** Its tokens where they lie in a file; a keyring keeps its own. */
  readonly tokens: readonly string[];
}

/** Looks for the contributor's own login; asks nobody. */
export async function ownLogin(environment: Environment): Promise<OwnLogin | undefined> {
  const configHome = environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), ".config");
  const hosts = join(environment.GH_CONFIG_DIR || join(configHome, "gh"), "hosts.yml");
  const text = await readFile(hosts, "utf8").catch(() => "");
  const tokens = [...text.matchAll(/^\s*oauth_token:\s*["']?([^\s"']+)/gm)].map((match) => match[1] ?? "");
  if (environment.GH_TOKEN || environment.GITHUB_TOKEN) return { kind: "pat", tokens };
  return /^\s*(?:oauth_token|user):\s*\S/m.test(text) ? { kind: "oauth", tokens } : undefined;
}
