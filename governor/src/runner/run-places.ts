import { homedir } from "node:os";
import { delimiter, dirname } from "node:path";
import {
  agentEnvironment,
  type Backend,
  type Confinement,
  confine,
  inOwnProcesses,
  type Sandbox,
  withDefaults,
} from "@nest/agents";
import type { Environment } from "@nest/kit";
import { checkOut, type GitDeps } from "./checkout.ts";
import type { RunLogin } from "./login.ts";

/** What of the nest's own environment is a login at the code host: an agent gets its own, or none. */
const OWN_LOGIN = ["GH_TOKEN", "GITHUB_TOKEN", "GH_CONFIG_DIR", "SSH_AUTH_SOCK"];

export interface PlacesDeps {
  readonly environment: Environment;
  readonly git: GitDeps;
  readonly webBase: string;
  readonly confinement: Confinement;
  readonly inContainer: boolean;
  /** Further variables that agents get (`NEST_AGENT_ENV`), and paths that they may read (`NEST_SANDBOX_READ`). */
  readonly alsoPass: readonly string[];
  readonly alsoReadable: readonly string[];
  /** The nest's own folders, out of every agent's sight. */
  readonly hidden: readonly string[];
  /** The `nest` program, for the ledger's commands. */
  readonly nestProgram: string;
}

export interface RunPlan {
  readonly backend: Backend;
  readonly model: string | undefined;
  /** Absolute path of the agent's program. */
  readonly binary: string;
  readonly repo: string | undefined;
  readonly login: RunLogin;
  /** The agent's own part of the work ledger: it writes there. */
  readonly ledgerFolder: string;
  /** Variables of the run: who it is, what it works on. */
  readonly variables: Readonly<Record<string, string>>;
  /** The run's own folder, empty. */
  readonly workspace: string;
  /** Ends a checkout that is under way. */
  readonly signal: AbortSignal;
}

/** Where a run works, and what it sees of the machine. */
export interface RunPlaces {
  /** The checkout's name in the workspace; undefined where the run is about no repository. */
  readonly checkout: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly confined: ((argv: readonly string[]) => readonly string[]) | undefined;
  readonly sandbox: Sandbox | undefined;
}

/** The environment that every agent gets, before a run's own variables. */
export function baseEnvironment(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !OWN_LOGIN.includes(name)));
}

/**
 * Makes a run's checkout, its environment and its sandbox.
 *
 * @throws NestError `checkout_failed`, what the machine refuses, or why it was ended.
 */
export async function makePlaces(deps: PlacesDeps, plan: RunPlan): Promise<RunPlaces> {
  const { confinement, inContainer, webBase } = deps;
  const { backend, login, repo, workspace, signal } = plan;
  const git = { folder: workspace, environment: login.checkoutEnvironment, signal };
  const checkout = repo === undefined ? undefined : await checkOut(deps.git, { webBase, repo }, git);
  await login.checkedOut();
  const base = baseEnvironment(deps.environment);
  const nestFolder = dirname(deps.nestProgram);
  const environment = agentEnvironment(await withDefaults(backend, base), {
    backend,
    model: plan.model,
    isContained: inContainer || confinement.runs === "sandboxed",
    alsoPass: deps.alsoPass,
    task: {
      ...plan.variables,
      ...login.agentEnvironment,
      PATH: [base.PATH ?? "", nestFolder].join(delimiter),
      NEST_BEADS_DIR: dirname(plan.ledgerFolder),
      NEST_GITHUB_URL: webBase,
    },
  });
  if (confinement.runs !== "sandboxed") {
    const confined =
      confinement.runs === "loose"
        ? undefined
        : (argv: readonly string[]) => inOwnProcesses(confinement.bubblewrap, argv);
    return { checkout, environment, confined, sandbox: undefined };
  }
  const sandbox = await confine(confinement.bubblewrap, {
    backend,
    agent: plan.binary,
    workspace,
    taskPlaces: login.folder === undefined ? [] : [login.folder],
    alsoReadable: [...deps.alsoReadable, dirname(nestFolder)],
    alsoWritable: [plan.ledgerFolder],
    hidden: deps.hidden,
    inContainer,
    around: { home: environment.HOME ?? homedir(), environment, hasCredential: true },
  });
  if (sandbox.user !== undefined) await login.belongTo(sandbox.user);
  return { checkout, environment, confined: sandbox.confined, sandbox };
}
