import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "@nest/kit";

const SECRET_NAME = /(?:TOKEN|KEY|SECRET|PASSWORD|PASSPHRASE|CREDENTIALS?)$/i;
const SECRET_PARAMETER = /token|key|secret|password|signature/i;

/**
 * The secrets in an environment, which must never be printed: values of variables with telling names, and credentials inside
 * addresses (`https://user:password@proxy`), whatever the variable's name.
 */
export function secretsIn(environment: Environment): readonly string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (value === undefined || value === "") return [];
    const parts = value.split(",").map((part) => part.trim());
    const ofName = SECRET_NAME.test(name) && !value.startsWith("/") ? [value, ...parts] : [];
    return [...ofName, ...parts.flatMap(secretsInAddress)].filter((secret) => secret !== "");
  });
}

function secretsInAddress(text: string): readonly string[] {
  if (!text.includes("://") || !URL.canParse(text)) return [];
  const { username, password, host, searchParams } = new URL(text);
  const ofParameters = [...searchParams].flatMap(([name, value]) => (SECRET_PARAMETER.test(name) ? [value] : []));
  if (username === "" && password === "") return ofParameters;
  const [user, pass] = [plain(username), plain(password)];
  const both = `${user}:${pass}`;
  // As written, as sent (basic authentication), and together with the host where the parts are too short to be told from words.
  const joined = [`${username}:${password}`, both, Buffer.from(both).toString("base64"), `${both}@${host}`];
  return [...ofParameters, ...(pass === "" ? [user, username, `${user}@${host}`] : [pass, password, ...joined])];
}

/** A part of an address, percent-decoded; unchanged where it cannot be decoded. */
function plain(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

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
