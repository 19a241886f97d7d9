import { NestError, redactor } from "@nest/kit";
import type { PlatformAddress } from "./platform-api.ts";
import { harmlessEnvironment, run } from "./run.ts";

/** Answers git's question for a password from the environment: the token is in no argument, no address and no file. */
const CREDENTIAL_HELPER = '!f() { test "$1" = get && echo username=x-access-token && echo "password=$GH_TOKEN"; }; f';

/** git in one folder, with the token at hand for the code host alone. */
export class Git {
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #redact: (text: string) => string;

  constructor(folder: string, address: PlatformAddress, login: string) {
    this.#folder = folder;
    this.#redact = redactor([address.token.reveal()]);
    const config = [
      ["credential.helper", ""],
      [`credential.${address.webUrl}.helper`, CREDENTIAL_HELPER],
      ["core.hooksPath", "/dev/null"],
      ["commit.gpgSign", "false"],
      ["init.defaultBranch", "main"],
    ];
    const person = { NAME: login, EMAIL: `${login}@users.noreply.example` };
    this.#environment = {
      ...harmlessEnvironment(),
      GH_TOKEN: address.token.reveal(),
      GIT_TERMINAL_PROMPT: "0",
      GIT_CONFIG_COUNT: String(config.length),
      ...Object.fromEntries(config.map(([name], index) => [`GIT_CONFIG_KEY_${index}`, name])),
      ...Object.fromEntries(config.map(([, value], index) => [`GIT_CONFIG_VALUE_${index}`, value])),
      GIT_AUTHOR_NAME: person.NAME,
      GIT_AUTHOR_EMAIL: person.EMAIL,
      GIT_COMMITTER_NAME: person.NAME,
      GIT_COMMITTER_EMAIL: person.EMAIL,
    };
  }

  /** Runs one command; its output. @throws NestError agent_git */
  async run(...args: readonly string[]): Promise<string> {
    const outcome = await run("git", args, { cwd: this.#folder, env: this.#environment });
    if (outcome.code === 0) return outcome.out;
    const last = this.#redact(outcome.err).trim().split("\n").at(-1) ?? "";
    throw new NestError("agent_git", `git ${args[0]} failed (${outcome.code}): ${last.slice(0, 300)}`);
  }
}
