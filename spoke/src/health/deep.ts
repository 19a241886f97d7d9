import { statfs } from "node:fs/promises";
import { backendOf } from "@nest/agents";
import type { Governor } from "@nest/governor";
import { sentenceOf } from "@nest/kit";
import type { health, nestAgents } from "@nest/protocol";
import { diskWords, tryStorage } from "../backup/storage-trouble.ts";
import type { Outcome } from "../heartbeat/send.ts";

type Check = health.DeepHealth["checks"][string];

const DISK_DEGRADED = 0.85;
const DISK_CRITICAL = 0.95;
/** The governor stands still when it has not evaluated for so many of its intervals, and a quarter of an hour at least. */
const LATE_INTERVALS = 3;
const LATE_AT_LEAST_MS = 15 * 60_000;
const TROUBLE: ReadonlySet<string> = new Set(["login", "failures", "loop", "disk"]);

export interface DeepHealthDeps {
  readonly governor: Governor;
  readonly startedAt: number;
  readonly now: number;
  /** Why the nest is not linked to the code host. */
  readonly unlinked: string | undefined;
  /** The last heartbeat; undefined where there is no hub, or before the first. */
  readonly hub: { readonly lastOutcome: Outcome | undefined } | undefined;
  /** Why no backup can be made. */
  readonly backupTrouble: () => Promise<string | undefined>;
  /** How many lines of the agents' ledgers cannot be read. */
  readonly ledgerProblems: () => Promise<number>;
  /** The notification channels that failed last, each with the reason. */
  readonly notificationTrouble: () => readonly string[];
  /** What is wrong with the configuration's files as they are now. */
  readonly configurationTrouble: () => Promise<readonly string[]>;
  readonly dataFolder: string;
}

/** Looks at everything that can go wrong with a nest. A check that itself fails is critical and says why. */
export async function deepHealth(deps: DeepHealthDeps): Promise<health.DeepHealth> {
  const checks: Record<string, Check> = {};
  const looks: Record<string, () => Check | Promise<Check>> = {
    code_host: () => codeHostCheck(deps),
    governor: () => governorCheck(deps),
    agents: () => agentsCheck(deps.governor.agents),
    hub_heartbeat: () => hubCheck(deps),
    ledger: async () => {
      const count = await deps.ledgerProblems();
      return count === 0 ? ok("every line can be read") : degraded(`${count} lines cannot be read and are passed over`);
    },
    backup: async () => {
      const trouble = await deps.backupTrouble();
      return trouble === undefined ? ok("a backup can be made") : degraded(trouble);
    },
    notifications: () => {
      const trouble = deps.notificationTrouble();
      return trouble.length === 0 ? ok("no channel fails") : degraded(trouble.join("; "));
    },
    configuration: async () => {
      const trouble = await deps.configurationTrouble();
      return trouble.length === 0 ? ok("the nest could start with it again") : degraded(trouble.join("; "));
    },
    data_disk: () => diskCheck(deps.dataFolder),
  };
  for (const [name, look] of Object.entries(looks)) {
    try {
      checks[name] = await look();
    } catch (thrown) {
      checks[name] = critical(sentenceOf(thrown));
    }
  }
  const statuses = Object.values(checks).map(({ status }) => status);
  const worst = (["critical", "degraded"] as const).find((status) => statuses.includes(status));
  return { status: worst ?? "ok", checks };
}

function codeHostCheck({ governor, unlinked }: DeepHealthDeps): Check {
  if (unlinked !== undefined) return critical(unlinked);
  const { repos } = governor.status;
  const failing = repos.filter(({ error }) => error !== undefined);
  const [first] = failing;
  if (first === undefined)
    return repos.length === 0
      ? noRepository(governor)
      : ok(`${repos.length === 1 ? "the repository" : `all ${repos.length} repositories`} can be read`);
  const which =
    repos.length === 1
      ? "the repository cannot be read"
      : `${failing.length} of ${repos.length} repositories cannot be read`;
  const detail = `${which}; ${first.repo}: ${first.error}${adviceFor(first.error ?? "")}`;
  return failing.length === repos.length ? critical(detail) : degraded(detail);
}

function noRepository({ status }: Governor): Check {
  return status.last_eval_at === undefined
    ? ok("the repositories are being read for the first time")
    : degraded("no repository is monitored: name one in project.repos");
}

/** What a person does about a refusal of the code host. */
function adviceFor(error: string): string {
  return /\b401\b/.test(error)
    ? "; the token is wrong or no longer valid: set another one (github.token, or the app's key), and restart the nest"
    : "";
}

function governorCheck({ governor, startedAt, now }: DeepHealthDeps): Check {
  const { evalIntervalMs } = governor.settings;
  const last = governor.status.last_eval_at;
  const since = last === undefined ? startedAt : Date.parse(last);
  const minutes = Math.round((now - since) / 60_000);
  if (now - since > Math.max(LATE_AT_LEAST_MS, LATE_INTERVALS * evalIntervalMs))
    return critical(`the queue was last judged ${minutes} min ago: restart this nest, and see its log`);
  return ok(
    last === undefined
      ? "the queue is being read for the first time"
      : `the queue was judged ${minutes === 0 ? "less than a minute" : `${minutes} min`} ago`,
  );
}

function agentsCheck(agents: readonly nestAgents.NestAgent[]): Check {
  const on = agents.filter(({ enabled }) => enabled);
  const unwell = on.flatMap((agent) => {
    const because = whyUnwell(agent);
    return because === undefined ? [] : [`${agent.name}: ${because}`];
  });
  const [first] = unwell;
  if (first !== undefined)
    return degraded(unwell.length === 1 ? first : `${unwell.length} of ${on.length} agents are unwell; ${first}`);
  if (on.length === 0) return ok("no agent is switched on");
  const stopped = on.filter(({ pause }) => pause?.cause === "budget");
  if (stopped.length === on.length)
    return degraded(
      `${on.length === 1 ? "the agent stands" : `all ${on.length} agents stand`} still: ${stopped[0]?.pause?.reason}`,
    );
  return ok(on.length === 1 ? "the agent is well" : `${on.length} agents are well`);
}

function whyUnwell({ backend, state, trouble, pause }: nestAgents.NestAgent): string | undefined {
  if (pause !== undefined && TROUBLE.has(pause.cause)) return trouble ?? pause.reason;
  if (state === "unready") return trouble ?? "it cannot be started";
  return backendOf(backend) === undefined ? `there is no backend called ${backend}` : undefined;
}

function hubCheck({ hub }: DeepHealthDeps): Check {
  if (hub === undefined) return ok("this nest reports to no hub");
  const { lastOutcome } = hub;
  if (lastOutcome === undefined) return ok("the first heartbeat is on its way");
  switch (lastOutcome.kind) {
    case "accepted":
      return ok("the hub accepts the heartbeats");
    case "rejected":
      return degraded(`the hub answers ${lastOutcome.status}: see whether NEST_HUB_SECRET is the hub's`);
    case "unreachable":
      return degraded(`the hub cannot be reached: ${lastOutcome.because}`);
  }
}

async function diskCheck(folder: string): Promise<Check> {
  const { blocks, bavail, bfree } = await statfs(folder);
  const used = blocks - bfree;
  const share = used + bavail === 0 ? 0 : used / (used + bavail);
  const refused = await tryStorage(folder).then(
    () => undefined,
    (thrown: unknown) => diskWords(thrown) ?? sentenceOf(thrown),
  );
  if (refused !== undefined) return critical(`the data folder cannot be written to: ${refused}`);
  const detail = `${Math.round(share * 100)} % of the disk of the data folder is used`;
  if (share >= DISK_CRITICAL) return critical(detail);
  return share >= DISK_DEGRADED ? degraded(detail) : ok(detail);
}

function ok(detail: string): Check {
  return { status: "ok", detail };
}

function degraded(detail: string): Check {
  return { status: "degraded", detail };
}

function critical(detail: string): Check {
  return { status: "critical", detail };
}
