import type { AgentSettings } from "./settings.ts";

/** An agent's settings as tests need them: what a test says nothing of is as in a plain configuration, and no run is overdue. */
export function anAgent(name: string, more: Partial<AgentSettings> = {}): AgentSettings {
  return {
    name,
    backend: "claude",
    model: undefined,
    effort: undefined,
    enabled: true,
    style: "interactive",
    focus: "issue",
    instructions: undefined,
    repos: [],
    labels: [],
    autonomy: undefined,
    maxMinutes: 600,
    limits: {},
    ...more,
  };
}
