import { type AgentSettings, type GovernorSettings, type Limits, type Mode, readCadence } from "@nest/governor";
import { GOVERNOR_DEFAULTS, orDefault } from "../config/governor-defaults.ts";
import type { NestYaml } from "../config/nest-yaml.ts";

const DEFAULT_BACKEND = "claude";
const DEFAULT_MAX_MINUTES = 30;
const MEBIBYTE = 1024 * 1024;

/** Agents that look at the whole, by their names. */
const OVERVIEW_NAMES = /^(?:guide|supervisor|brainstorm|strategist|architect)$/i;

/** What the governor goes by, out of the nest's configuration; what it does not say has these defaults. Pure. */
export function governorSettings(config: NestYaml, clockScale = 1): GovernorSettings {
  const { project, governor } = config;
  const { labels, recordings } = governor;
  const byDefault = GOVERNOR_DEFAULTS;
  const repos = project.repos.map((repo) => wholeName(repo, project.org));
  return {
    repos,
    primaryRepo: project.primary_repo === undefined ? undefined : wholeName(project.primary_repo, project.org),
    acmmLevel: config.acmm_level,
    evalIntervalMs: ((governor.eval_interval_s ?? byDefault.eval_interval_s) * 1000) / clockScale,
    modes: Object.entries(governor.modes).map(([name, mode]) => modeOf(name, mode, clockScale)),
    limits: limitsOf(governor.budget),
    holdLabels: orDefault(labels.hold, byDefault.labels.hold),
    exemptLabels: orDefault(labels.exempt, byDefault.labels.exempt),
    denyAuthors: orDefault(governor.deny_authors, byDefault.deny_authors),
    denyTitles: orDefault(governor.deny_titles, byDefault.deny_titles),
    holdLabel: labels.hold_pull_requests ?? byDefault.labels.hold_pull_requests,
    agents: Object.entries(config.agents).map(([name, agent]) => agentOf(name, agent, project.org)),
    recordings: {
      days: recordings.days ?? byDefault.recordings.days,
      bytes: (recordings.megabytes ?? byDefault.recordings.megabytes) * MEBIBYTE,
    },
  };
}

function agentOf(name: string, agent: NestYaml["agents"][string], org: string | undefined): AgentSettings {
  return {
    name,
    backend: agent.backend ?? DEFAULT_BACKEND,
    model: agent.model,
    effort: agent.reasoning_effort,
    enabled: agent.enabled,
    style: agent.style ?? "interactive",
    focus: agent.focus ?? (OVERVIEW_NAMES.test(name) ? "overview" : "issue"),
    instructions: agent.instructions ?? undefined,
    repos: agent.repos.map((repo) => wholeName(repo, org)),
    labels: agent.labels,
    autonomy: agent.may ?? undefined,
    maxMinutes: agent.max_minutes ?? DEFAULT_MAX_MINUTES,
    limits: limitsOf(agent.budget),
  };
}

function modeOf(name: string, mode: NestYaml["governor"]["modes"][string], clockScale: number): Mode {
  const { threshold, ...cadences } = mode;
  const read = Object.entries(cadences).flatMap(([agent, text]) => {
    const cadence = typeof text === "string" ? readCadence(text) : undefined;
    if (cadence === undefined) return [];
    return [[agent, cadence === "pause" ? cadence : cadence / clockScale] as const];
  });
  return { name, threshold, cadences: Object.fromEntries(read) };
}

function limitsOf(budget: NestYaml["governor"]["budget"]): Limits {
  return {
    runsPerDay: budget.runs_per_day ?? undefined,
    minutesPerDay: budget.minutes_per_day ?? undefined,
    tokensPerDay: budget.tokens_per_day ?? undefined,
    costUsdPerDay: budget.cost_usd_per_day ?? undefined,
  };
}

/** `owner/name`, also of a repository that is named without its owner. */
function wholeName(repo: string, org: string | undefined): string {
  return repo.includes("/") || org === undefined ? repo : `${org}/${repo}`;
}
