import { type AgentChoice, type Backend, isContained, modelFlag, type OwnFile } from "../cli/backend.ts";
import { jsonMembers } from "../sandbox/given.ts";

const LOGIN: OwnFile = { name: "auth.json", renewed: ["*.access", "*.refresh", "*.expires"] };
const SETTINGS: OwnFile = {
  name: "settings.json",
  given: jsonMembers("defaultProvider", "defaultModel", "defaultThinkingLevel", "transport", "retry"),
};

/** pi runs commands without asking. Outside a sandbox or a container it gets no tool that runs commands. */
function tools(choice: AgentChoice): readonly string[] {
  return isContained(choice) ? [] : ["--tools", "read,edit,write,grep,find,ls"];
}

/** Has no permission prompts at all; prints JSON events without a terminal. */
export const pi: Backend = {
  name: "pi",
  binary: "pi",
  versionArgs: ["--version"],
  npmPackage: "@mariozechner/pi-coding-agent",
  oneShot: (run) => [...tools(run), ...modelFlag(run), "--print", "--mode", "json", run.prompt],
  interactive: (choice) => [...tools(choice), ...modelFlag(choice)],
  // It has no prompt sign: its last line tells how much of the context is used, and of how much.
  signs: { ready: /\d%\/\d+[kM]/, busy: /Working\.\.\./i, loginNeeded: /(?:No API key found|Use \/login)/i },
  credentialVariables: [
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "GEMINI_API_KEY",
    "PI_CODING_AGENT_DIR",
    "PI_OFFLINE",
    "PI_TELEMETRY",
    "PI_SKIP_VERSION_CHECK",
  ],
  ownFolders: ({ PI_CODING_AGENT_DIR }) => [
    { path: PI_CODING_AGENT_DIR || "~/.pi/agent", files: [LOGIN, { name: "models.json" }, SETTINGS] },
  ],
  decode: decodePiEvents,
  cautionUnconfined:
    "pi asks nobody before it runs a command, so without bubblewrap or a container it gets no shell, and can hardly finish a task",
};

/** What the agent itself said in a stream of JSON events, one a line; lines that are no events stay as they are. */
export function decodePiEvents(output: string): string {
  return output
    .split("\n")
    .flatMap((line) => {
      if (!line.startsWith("{")) return [line];
      const said = saidBy(line);
      return said === undefined ? [] : [said];
    })
    .join("\n");
}

function saidBy(line: string): string | undefined {
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch {
    return line;
  }
  const { type, message } = event as { type?: unknown; message?: { role?: unknown; content?: unknown } | null };
  // Only finished messages of the agent: the prompt comes back as a message of the user.
  if (type !== "message_end" || message?.role !== "assistant") return undefined;
  if (typeof message.content === "string") return message.content;
  if (!Array.isArray(message.content)) return undefined;
  const parts = message.content as readonly ({ type?: unknown; text?: unknown } | null)[];
  return parts
    .flatMap((part) => (part?.type === "text" && typeof part.text === "string" ? [part.text] : []))
    .join("\n");
}
