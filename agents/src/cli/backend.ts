/** What a backend's flags depend on. */
export interface AgentChoice {
  readonly model?: string | undefined;
  /** Reasoning effort; used by the backends that have such a flag, ignored by the others (spec: Relay environment). */
  readonly effort?: string | undefined;
  /** Whether the relay runs in a container (`NEST_CONTAINER=1`). */
  readonly container: boolean;
  /**
   * Whether the run is in a sandbox. Without a container or a sandbox no flag may skip a permission prompt.
   */
  readonly sandboxed: boolean;
}

/** Whether a sandbox or a container, and not only the CLI's own permission prompts, keeps the agent from the machine. */
export function isContained(choice: Pick<AgentChoice, "container" | "sandboxed">): boolean {
  return choice.container || choice.sandboxed;
}

export interface OneShot extends AgentChoice {
  readonly prompt: string;
}

/** Patterns that tell, from the text of its pane, what a CLI at a terminal is doing. */
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

/** One of a CLI's own folders. A sandboxed run gets a private one in its place, with copies of these files only. */
export interface OwnFolder {
  /** Absolute, or from the home on: `~/.claude`. */
  readonly path: string;
  readonly files: readonly OwnFile[];
}

/** One file that a CLI needs to sign in or to find its model. Nothing else of the CLI's folder reaches a sandboxed run. */
export interface OwnFile {
  /** Within its folder. */
  readonly name: string;
  /** The part of the file's text that a run is given; undefined when there is none. The whole text where this is absent. */
  readonly given?: (text: string) => string | undefined;
  /**
   * The values in this JSON file that the CLI renews by itself, as names from the outermost in (`tokens.access_token`; `*` is
   * any name). Only these are copied back to the person's own file when a run ends.
   */
  readonly renewed?: readonly string[];
}

/** What a CLI that was never configured works with. */
export interface BackendDefaults {
  readonly variables: Readonly<Record<string, string>>;
  /** The person's own settings, absolute or from the home on; `environment` is the agent's. */
  readonly settings: (environment: Readonly<Record<string, string | undefined>>) => string;
  /** Shows that the settings have a choice of their own. */
  readonly chosen: RegExp;
}

/** One agent CLI: data and small functions, no effects. */
export interface Backend {
  readonly name: string;
  /** The program's name, looked up on PATH unless `NEST_AGENT_COMMAND` names another. */
  readonly binary: string;
  readonly versionArgs: readonly string[];
  /** Its package on npm, where it has one; undefined where its maker has another way to install it. */
  readonly npmPackage?: string;
  /**
   * The commands that it may run where neither a sandbox nor a container holds it and nobody answers its questions, in words;
   * undefined where its own settings decide.
   */
  readonly unconfinedCommands?: string;
  /** The arguments of a run without a terminal; undefined when the CLI has no headless mode. */
  readonly oneShot?: (run: OneShot) => readonly string[];
  readonly interactive: (choice: AgentChoice) => readonly string[];
  readonly signs: PaneSigns;
  /** Variables that carry this backend's own credential and settings; passed on to the agent, never to a hub. */
  readonly credentialVariables: readonly string[];
  /** The CLI's own folders that a sandboxed run is given in part; `environment` is the agent's. Pure. */
  readonly ownFolders: (environment: Readonly<Record<string, string | undefined>>) => readonly OwnFolder[];
  /** Variables made for this backend out of the relay's environment and what was chosen for the run. */
  readonly extraEnvironment?: (
    environment: Readonly<Record<string, string | undefined>>,
    choice: { readonly isContained: boolean; readonly model?: string | undefined },
  ) => Record<string, string>;
  /** Variables that hold unless the environment or the person's own settings name the first of them. */
  readonly defaults?: BackendDefaults;
  /** Decodes a one-shot run's output, for a CLI that does not print plain text. */
  readonly decode?: (output: string) => string;
  /** A warning for the start of the relay: where this backend cannot work. */
  readonly caution?: string;
  /** A warning for the start of the relay where only the CLI's own permission prompts keep the agent from the machine. */
  readonly cautionUnconfined?: string;
}

/** `["--model", m]`, or nothing when no model was chosen. */
export function modelFlag(choice: AgentChoice): readonly string[] {
  return choice.model === undefined ? [] : ["--model", choice.model];
}
