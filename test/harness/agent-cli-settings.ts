import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** How one real CLI is configured to talk to the scripted model, following its own documentation. */
export interface RealCli {
  readonly backend: string;
  readonly program: string;
  /** Writes its settings under `home`, as a contributor who has used it before; answers with its environment. */
  readonly settle: (home: string, modelUrl: string) => Promise<Record<string, string>>;
}

/** The model's name that every CLI is given. */
export const MODEL = "scripted-1";

async function settleClaude(home: string, modelUrl: string): Promise<Record<string, string>> {
  const settings = {
    hasCompletedOnboarding: true,
    bypassPermissionsModeAccepted: true,
    customApiKeyResponses: { approved: ["dummy"], rejected: [] },
  };
  await writeFile(join(home, ".claude.json"), JSON.stringify(settings), { mode: 0o600 });
  return {
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: "dummy",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
    IS_SANDBOX: "1",
  };
}

async function settleCodex(home: string, modelUrl: string): Promise<Record<string, string>> {
  const folder = join(home, "codex");
  await mkdir(folder, { mode: 0o700 });
  const lines = [
    `model = "${MODEL}"`,
    'model_provider = "local"',
    "check_for_update_on_startup = false",
    "[analytics]",
    "enabled = false",
    "[otel]",
    'exporter = "none"',
    "[model_providers.local]",
    'name = "local"',
    `base_url = "${modelUrl}/v1"`,
    'env_key = "OPENAI_API_KEY"',
    'wire_api = "responses"',
    "request_max_retries = 0",
    "stream_max_retries = 0",
  ];
  await writeFile(join(folder, "config.toml"), `${lines.join("\n")}\n`);
  return { CODEX_HOME: folder, OPENAI_API_KEY: "dummy" };
}

function settleCopilot(_home: string, modelUrl: string): Promise<Record<string, string>> {
  return Promise.resolve({
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
    COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
    COPILOT_PROVIDER_API_KEY: "dummy",
    COPILOT_MODEL: MODEL,
  });
}

async function settlePi(home: string, modelUrl: string): Promise<Record<string, string>> {
  const folder = join(home, ".pi/agent");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const local = { baseUrl: `${modelUrl}/v1`, api: "openai-completions", apiKey: "dummy", models: [{ id: MODEL }] };
  await writeFile(join(folder, "models.json"), JSON.stringify({ providers: { local } }));
  return { PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1" };
}

export const realClis: readonly RealCli[] = [
  { backend: "claude", program: "claude", settle: settleClaude },
  { backend: "codex", program: "codex", settle: settleCodex },
  { backend: "copilot", program: "copilot", settle: settleCopilot },
  { backend: "pi", program: "pi", settle: settlePi },
];

/** Edits files and talks; its model runs no command by itself. */
export const aider: RealCli = {
  backend: "aider",
  program: "aider",
  settle: (_home, modelUrl) =>
    Promise.resolve({
      AGENT_MODEL: `openai/${MODEL}`,
      OPENAI_API_KEY: "dummy",
      OPENAI_API_BASE: `${modelUrl}/v1`,
      // Its library asks the internet for a list of prices otherwise.
      LITELLM_LOCAL_MODEL_COST_MAP: "True",
      NEST_AGENT_ENV: "LITELLM_LOCAL_MODEL_COST_MAP",
    }),
};
