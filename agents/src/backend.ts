/** What a backend's flags depend on. */
export interface AgentChoice {
  readonly model?: string | undefined;
  /** Reasoning effort; used by the backends that have such a flag, ignored by the others (spec: Relay environment). */
  readonly effort?: string | undefined;
  /** Whether the relay runs in a container (`NEST_CONTAINER=1`): only there may permission prompts be skipped. */
  readonly container: boolean;
}

export interface OneShot extends AgentChoice {
  readonly prompt: string;
}

/** How to tell, from the text of its pane, what a CLI at a terminal is doing. */
export interface PaneSigns {
  /** The CLI waits for a prompt. */
  readonly ready: RegExp;
  /** The CLI is at work; while this shows, the pane is not idle. */
  readonly busy?: RegExp;
  /** A person has to log in first. */
  readonly loginNeeded?: RegExp;
  /** The CLI asks whether it may do something; a person has to answer. */
  readonly asking?: RegExp;
  /** The CLI asks whether to trust the folder it was started in; Enter says yes. */
  readonly trust?: RegExp;
}

/** Where a CLI keeps what is its own. */
export interface Places {
  /** Under the home folder: its login and its sessions, which it has to write. */
  readonly folders: readonly string[];
  /** Variables that name such a folder elsewhere. */
  readonly variables: readonly string[];
  /** Within those folders, what a later run would obey: no task may change it. */
  readonly settings: readonly string[];
}

/** One agent CLI: data and small functions, no effects. */
export interface Backend {
  readonly name: string;
  /** The program's name, looked up on PATH unless `NEST_AGENT_COMMAND` names another. */
  readonly binary: string;
  readonly versionArgs: readonly string[];
  /** The arguments of a run without a terminal; undefined when the CLI has no headless mode. */
  readonly oneShot?: (run: OneShot) => readonly string[];
  readonly interactive: (choice: AgentChoice) => readonly string[];
  readonly signs: PaneSigns;
  /** Variables that carry this backend's own credential and settings; passed on to the agent, never to a hub. */
  readonly credentialVariables: readonly string[];
  /** What of the home a confined run needs. */
  readonly places: Places;
  /** Variables made for this backend out of the relay's environment. */
  readonly extraEnvironment?: (environment: Readonly<Record<string, string | undefined>>) => Record<string, string>;
  /** The text that a one-shot run's output stands for, where it is not plain text. */
  readonly decode?: (output: string) => string;
  /** Said once at start, about where this backend cannot work. */
  readonly caution?: string;
}

/** `["--model", m]`, or nothing when no model was chosen. */
export function modelFlag(choice: AgentChoice): readonly string[] {
  return choice.model === undefined ? [] : ["--model", choice.model];
}
