import { DEFAULT_HUB } from "./config.ts";

/** What `nest relay -h` teaches: every variable that the relay reads (spec: Relay environment). */
export const USAGE = `usage: nest relay [status] [-json], or nest-relay [status] [-json] where only the relay is installed

Works on issues of one or more hubs with the agent CLI of this machine, one task at a time. With status it tells what the relays of
this machine do now, and how you stand at each hub.

Configured by the environment, else by ~/.config/nest/contributor.env, which contribute-setup writes. Every NEST_ variable is also
read as HIVE_ where the NEST_ one is absent.

hubs
  NEST_HUB                   hub address(es), comma-separated (default ${DEFAULT_HUB}, the hub of npm start)
  NEST_REGISTRATION_TOKEN    token(s), in the order of the hubs; required
  NEST_CONTRIBUTOR_ID        contributor id(s), in the same order: with them the relay proves the token to a hub instead of sending it
  NEST_SESSION               name that tells this relay from your others (default: made once, kept in the state folder)
  NEST_AGENT_ROLE            a delegated role to ask for

agent
  AGENT_BACKEND              claude, copilot, goose, bob, codex, pi, aider, litellm or agy (default claude)
  AGENT_MODEL                model, declared to the hub (default: the agent's own)
  AGENT_REASONING_EFFORT     codex and agy only; low, medium or high for agy
  CONTRIBUTOR_MODE           interactive (default): the agent in tmux, to watch and type in; headless: one run a task, no terminal
  NEST_AGENT_SESSION         name of the tmux session (default contributor)
  NEST_AGENT_COMMAND         another program in place of the agent's
  NEST_AGENT_ENV             names of further variables that the agent may have, comma-separated
  NEST_LITELLM_ENDPOINT      litellm: address of your proxy; required for it, never sent to a hub
  NEST_LITELLM_API_KEY       litellm: its key
  GOOSE_PROVIDER, GOOSE_MODEL  goose: where its model is (default: a local one of Ollama); AGENT_MODEL wins over GOOSE_MODEL

confinement
  NEST_SANDBOX               auto (default), bubblewrap or off: whether agents outside a container are confined
  NEST_SANDBOX_READ          further paths that a confined agent may read, absolute, comma-separated
  NEST_CONTAINER             1: this relay runs in a container; set by the image
  NEST_CONTAINER_RUNTIME     docker, podman or none, declared to the hub

code host
  GH_TOKEN, GITHUB_TOKEN     your own login, where gh is not signed in
  NEST_GITHUB_URL            its address (default https://github.com)
  NEST_GITHUB_API_URL        address of its API (default https://api.github.com)

places
  NEST_WORKSPACE             folder for the tasks' workspaces (default ~/.cache/nest/workspaces)
  NEST_TASK_CONTEXT_FILE     the task in hand (default contributor-task.json in the temporary folder)
  NEST_HEADLESS_STATUS_FILE  what the relay does now, for probes (default contributor-headless-status.json there)
  NEST_GH_TOKEN_CACHE        also write the task's code-host token to this file
  NEST_ATTACH_PREFIX         what a person types before the command that attaches; contribute-hive sets it
  NEST_SECRETS_FROM          a file, or - for standard input: a JSON object of variables that must not be in the environment
  XDG_STATE_HOME             state folder's parent (default ~/.local/state)

exit codes: 0 stopped, 1 refused for good by every hub, 2 wrong configuration
`;
