import { readdir, readFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { type CodeHost, type Credentials, GitHub } from "@nest/codehost";
import { type Clock, isAbsent, type Random, Secret } from "@nest/kit";
import type { NestYaml } from "../config/nest-yaml.ts";
import { secretValue } from "../config/secret-value.ts";
import type { SpokeSettings } from "../config/settings.ts";

/** The code host as this nest reaches it; `because` says why it cannot. */
export interface CodeHostLink {
  readonly codeHost: CodeHost | undefined;
  readonly because: string | undefined;
  /** The nest's own token, where it works with a person's. */
  readonly token: Secret | undefined;
  /** Everything secret about it, never to be printed. */
  readonly secrets: readonly string[];
}

export interface CodeHostDeps {
  readonly settings: SpokeSettings;
  readonly clock: Clock;
  readonly random: Random;
}

const APP_KEY = /^app-key.*\.pem$/;

/**
 * Links to the code host with the token or the app of the configuration. An app whose key or installation is not there yet is no fault:
 * the nest waits for it (spec: a placeholder app id is acceptable), and says what is missing.
 */
export async function linkCodeHost(github: NestYaml["github"], deps: CodeHostDeps): Promise<CodeHostLink> {
  const { settings, clock, random } = deps;
  const token = secretValue("github.token", github.token, settings.environment);
  const options = { apiUrl: settings.apiUrl, clock, random };
  if (token !== undefined) {
    const codeHost = new GitHub({ ...options, credentials: { kind: "token", token } });
    return { codeHost, because: undefined, token, secrets: [token.reveal()] };
  }
  const app = await appOf(github, settings.dataFolder);
  if ("because" in app) return { codeHost: undefined, because: app.because, token: undefined, secrets: [] };
  const codeHost = new GitHub({ ...options, credentials: app.credentials });
  return { codeHost, because: undefined, token: undefined, secrets: app.secrets };
}

async function appOf(
  github: NestYaml["github"],
  dataFolder: string,
): Promise<{ readonly credentials: Credentials; readonly secrets: readonly string[] } | { readonly because: string }> {
  if (github.installation_id == null || `${github.installation_id}` === "")
    return { because: "github.installation_id is not set: install the app, then save its number in the settings" };
  const file = await keyFile(github.key_file, dataFolder);
  if (file === undefined)
    return { because: "the app's private key is not there yet: put app-key.pem into the data folder" };
  try {
    const text = await readFile(file, "utf8");
    const credentials = {
      kind: "app" as const,
      appId: Number(github.app_id),
      installationId: Number(github.installation_id),
      privateKey: new Secret(text),
    };
    return { credentials, secrets: text.split("\n").filter((line) => line.length > 20 && !line.startsWith("-----")) };
  } catch (thrown) {
    const what = isAbsent(thrown) ? "is not there" : "cannot be read";
    return { because: `github.key_file: ${file} ${what}` };
  }
}

/** The configured key, or the newest `app-key*.pem` of the data folder (spec: Spoke durable state). */
async function keyFile(configured: string | undefined, dataFolder: string): Promise<string | undefined> {
  if (configured !== undefined) return isAbsolute(configured) ? configured : join(dataFolder, configured);
  const names = (await readdir(dataFolder).catch(() => [])).filter((name) => APP_KEY.test(name)).sort();
  const name = names.at(-1);
  return name === undefined ? undefined : join(dataFolder, name);
}
