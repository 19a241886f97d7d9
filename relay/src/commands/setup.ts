import { type Backend, backends, findBinary } from "@nest/agents";
import { NestError, parseFlags, plainLine, UsageError, variable } from "@nest/kit";
import { contribute, httpBase, webSocketAddress } from "@nest/protocol";
import { DEFAULT_HUB } from "../settings/config.ts";
import { comparable } from "../settings/kept-hubs.ts";
import { type HubAnswer, hubAnswer } from "../standing/hub-answer.ts";
import { requireBackend, tableOf } from "./check.ts";
import { type Check, CODE_HOST_LOGIN, checkMachine, type Place } from "./checks.ts";
import { type CodeHostLogin, codeHostLogin } from "./code-host-login.ts";
import type { Command, CommandDeps } from "./command.ts";
import {
  codeHostToKeep,
  type Registration,
  readSaved,
  withKeptCodeHost,
  withRegistration,
  writeSaved,
} from "./saved-env.ts";

const USAGE = `usage: contribute-setup <backend> [-hub ADDRESS] [-container] [-reissue]

One time per hub: checks this machine, registers you as a contributor and keeps the registration token in
~/.config/nest/contributor.env (0600, the file before as .bak). Run it again for another hub. For another machine of yours copy that
file there; -reissue is for a token that is lost, or that somebody else has.

  -hub ADDRESS   the hub, wss://HOST/contribute (default: NEST_HUB, else the one kept, else ${DEFAULT_HUB})
  -container     the agent works in a container or on a cluster: its CLI is in the image and need not be on this machine
  -reissue       ask the hub for a new token; the old one stops working

Where you are not signed in to the code host, it offers to run gh auth login. Your code-host token goes to the hub only if the hub asks for proof of your login, and this command says so when it does.

backends: ${backends.map(({ name }) => name).join(", ")}
`;

const TOKEN_HERE = "this machine has the token, and contribute-hive works with it";
const TOKEN_ELSEWHERE = "the machine that registered has it in ~/.config/nest/contributor.env: copy that file here";
const PATIENCE_MS = 30_000;
const LONGEST_LINE = 500;

type Answer = { readonly contributor_id: string; readonly registration_token?: string | undefined };

/** `contribute-setup <backend>`: registers this contributor at a hub, once per hub. */
export const contributeSetup: Command = async (args, given) => {
  const { flags, words, help } = parseFlags(args, { hub: "text", container: "switch", reissue: "switch" }, USAGE);
  if (help) {
    given.out.write(USAGE);
    return 0;
  }
  const backend = requireBackend(words, "contribute-setup");
  const saved = await readSaved(given.environment);
  const deps = { ...given, environment: withKeptCodeHost(given.environment, saved) };
  const named = flags.hub ?? variable(deps.environment, "NEST_HUB") ?? saved.NEST_HUB?.split(",")[0];
  if (named === undefined)
    deps.error.write(`no hub is named: ${DEFAULT_HUB}, the one of npm start on this machine; -hub names another\n`);
  const hub = hubOf(named ?? DEFAULT_HUB);
  const hubs = (saved.NEST_HUB ?? "")
    .split(",")
    .filter((one) => one !== "")
    .map(comparable);
  const codeHost = codeHostToKeep(
    given.environment,
    saved,
    hubs.some((one) => one !== comparable(hub)),
  );
  const place = flags.container === true ? "image" : "here";
  const checks = await checksIfReady(backend, deps, place);
  if (checks === undefined) return 1;
  const login = await codeHostLogin(deps);
  if ("gap" in login) throw new NestError("code_host_login_missing", login.gap);
  const keptHere = hubs.includes(comparable(hub));
  const registration = await register(hub, login, { reissue: flags.reissue ?? false, keptHere }, deps);
  if (registration === undefined) return 1;
  const values = withRegistration(saved, registration, {
    CONTRIBUTOR_USERNAME: login.login,
    AGENT_BACKEND: backend.name,
    ...codeHost,
  });
  const file = await writeSaved(deps.environment, values);
  deps.out.write(
    `Registered as ${login.login} at ${new URL(webSocketAddress(hub)).host}. Kept in ${file}.\nStart the relay with: ${startOf(backend, checks, place)}\n${ofThisShell(deps.environment, values)}`,
  );
  return 0;
};

function hubOf(configured: string): string {
  const [hub = "", another] = configured.split(",");
  if (another !== undefined)
    throw new UsageError("-hub: one hub at a time", { hint: "run contribute-setup once for each" });
  try {
    webSocketAddress(hub);
  } catch {
    throw new UsageError(`-hub: "${hub.split("?")[0]}" is not a ws://, wss://, http:// or https:// address`);
  }
  return hub;
}

/** How to start: where something confines the agent, and first without an image that most people do not have yet. */
function startOf(backend: Backend, checks: readonly Check[], place: Place): string {
  const start = `contribute-hive ${backend.name}`;
  if (place === "image") return `${start}, in a container; on a cluster with: contribute-k8s`;
  if (!runsInContainer(backend, checks)) return `${start} local`;
  const isConfined = checks.some(({ name, ok }) => name === "sandbox" && ok);
  return isConfined ? `${start} local (or ${start}, in a container whose image holds the agent)` : start;
}

/** The shell's own NEST_HUB wins over what is kept: told where it leaves hubs out. */
function ofThisShell(environment: CommandDeps["environment"], values: Readonly<Record<string, string>>): string {
  const named = variable(environment, "NEST_HUB")?.split(",").length ?? 0;
  const kept = values.NEST_HUB?.split(",").length ?? 0;
  return named === 0 || named >= kept ? "" : `For all ${kept} hubs that are kept, first: unset NEST_HUB\n`;
}

function runsInContainer(backend: Backend, checks: readonly Check[]): boolean {
  return backend.name !== "agy" && checks.some(({ name, ok }) => name === "container runtime" && ok);
}

/** The checks of this machine; undefined when something is missing, which has then been said. */
async function checksIfReady(backend: Backend, deps: CommandDeps, place: Place): Promise<readonly Check[] | undefined> {
  const first = await checkMachine(backend, deps, place);
  const checks = (await signedInNow(first, deps)) ? await checkMachine(backend, deps, place) : first;
  deps.error.write(`${tableOf(checks)}\n`);
  const gaps = checks.filter((check) => check.required && !check.ok);
  if (gaps.length > 0)
    deps.error.write(
      `contribute-setup: error: ${gaps.map(({ name }) => name).join(", ")} missing; nothing was registered\n`,
    );
  return gaps.length === 0 ? checks : undefined;
}

/** Offers the code host's own sign-in where it is what is missing, and can be run here. Whether the person took it. */
async function signedInNow(checks: readonly Check[], deps: CommandDeps): Promise<boolean> {
  if (checks.find(({ name }) => name === CODE_HOST_LOGIN)?.ok !== false || deps.ask === undefined) return false;
  const gh = await findBinary("gh", deps.environment.PATH);
  if (gh === undefined || !(await deps.ask("You are not signed in to the code host. Run gh auth login now?")))
    return false;
  const host = deps.environment.NEST_GITHUB_URL;
  const words = ["auth", "login", ...(host === undefined || host === "" ? [] : ["--hostname", new URL(host).host])];
  return (await deps.run(gh, words, deps.environment)) === 0;
}

async function register(
  hub: string,
  login: CodeHostLogin,
  { reissue, keptHere }: { readonly reissue: boolean; readonly keptHere: boolean },
  deps: CommandDeps,
): Promise<Registration | undefined> {
  const made = reissue
    ? undefined
    : await call(hub, contribute.register.path, { github_username: login.login }, login, deps, false);
  if (made?.registration_token !== undefined)
    return { hub, token: made.registration_token, contributorId: made.contributor_id };
  if (
    !reissue &&
    !(
      (await deps.ask?.(
        `${login.login} is registered at this hub already. Issue a new token? The old one stops working on every machine.`,
      )) ?? false
    )
  ) {
    deps.error.write(
      `contribute-setup: error: ${login.login} is registered at this hub already, and its token is not shown again\ncontribute-setup: hint: ${keptHere ? TOKEN_HERE : TOKEN_ELSEWHERE}; -reissue makes a new one, and the old one stops working on every machine\n`,
    );
    return undefined;
  }
  const again = await call(hub, contribute.reissueToken.path, {}, login, deps, false);
  if (again.registration_token === undefined) throw new NestError("registration_failed", "the hub sent no token");
  return { hub, token: again.registration_token, contributorId: again.contributor_id };
}

/** Asks the hub; the code-host token goes along only after the hub has asked for it. */
async function call(
  hub: string,
  path: string,
  body: object,
  login: CodeHostLogin,
  deps: CommandDeps,
  prove: boolean,
): Promise<Answer> {
  const base = httpBase(hub);
  if (prove)
    deps.error.write(
      `sending your code-host token (${login.from}) to ${new URL(base).host}, once, as proof that you are ${login.login}\n`,
    );
  const proof = prove ? { authorization: `Bearer ${login.token.reveal()}` } : {};
  const headers = { "content-type": "application/json", ...proof };
  let said: HubAnswer;
  try {
    said = await hubAnswer(
      deps.fetch,
      base + path,
      { method: "POST", headers, body: JSON.stringify(body) },
      PATIENCE_MS,
    );
  } catch {
    throw new NestError("hub_unreachable", `${new URL(base).host} does not answer`, {
      hint: "check the address and the network",
    });
  }
  if (said.status === 401 && !prove) return call(hub, path, body, login, deps, true);
  if (said.ok) return registered(said.body);
  const { error, hint } = (said.body ?? {}) as { error?: unknown; hint?: unknown };
  const because = `the hub did not register you: ${lineOf(error) ?? `status ${said.status}`}`;
  const told = lineOf(hint);
  throw new NestError("registration_failed", because, told === undefined ? {} : { hint: told });
}

/** A hub's words as a line that may be shown at a terminal. */
function lineOf(words: unknown): string | undefined {
  return typeof words === "string" ? plainLine(words).slice(0, LONGEST_LINE) : undefined;
}

/** A registration as a hub may answer it: values that fit the lists of `contributor.env`, and nothing else. */
function registered(answer: unknown): Answer {
  const { data } = contribute.RegisterReply.safeParse(answer);
  const kept = [data?.contributor_id, data?.registration_token ?? ""];
  if (data === undefined || !kept.every((value) => value === plainLine(value ?? "") && !value.includes(",")))
    throw new NestError("registration_failed", "the hub's answer is no registration");
  return data;
}
