import { GitHub } from "@nest/codehost";
import { type Clock, type Environment, NestError, Secret } from "@nest/kit";
import {
  DEMO_CONTRIBUTORS,
  DEMO_HUB_TOKEN,
  DEMO_NEST_REPOSITORY,
  DEMO_ORG,
  DEMO_REPOSITORIES,
  demoSeed,
  type LocalCodeHost,
  startLocalCodeHost,
} from "@nest/local-codehost";
import type { Served } from "./choices.ts";
import { usable } from "./port.ts";
import type { Running } from "./running.ts";

/** Where the code host is and who we are there. */
export interface Place {
  readonly apiUrl: string;
  readonly webUrl: string;
  readonly login: string;
  /** A token that a nest may use, where it is a demo's and no secret. */
  readonly hubToken?: string;
  /** The contributor's own token, for the agent; undefined with an app. */
  readonly ownToken: string | undefined;
  readonly hubYaml: object;
  /** What the nest of this machine looks after, and with which agents; absent: what the hub serves, and no agent. */
  readonly nest?: NestOfPlace;
  /** The OAuth client by which people sign in to the nest, where there is one. */
  readonly clientId: string | undefined;
  readonly hubEnvironment: Readonly<Record<string, string>>;
  readonly words: string;
}

export interface NestOfPlace {
  readonly repos: readonly string[];
  readonly agents: object;
  readonly governor: object;
  readonly acmmLevel: number;
}

/** Two agents of the demo's nest: one mends what is wrong, the other writes. They work on a repository that the hub does not serve. */
const DEMO_NEST: NestOfPlace = {
  repos: [DEMO_NEST_REPOSITORY],
  agents: {
    scanner: { backend: "claude", labels: ["bug", "enhancement"], max_minutes: 10 },
    writer: { backend: "claude", labels: ["documentation"], max_minutes: 10 },
  },
  governor: {
    eval_interval_s: 20,
    modes: {
      busy: { threshold: 3, scanner: "30s", writer: "40s" },
      idle: { threshold: 0, scanner: "1m", writer: "1m" },
    },
    budget: { runs_per_day: 200 },
  },
  acmmLevel: 5,
};

/** The code host started here takes any client's name. */
const LOCAL_CLIENT = "nest-on-this-machine";

/** The person who runs `nest up` is the hub's admin; on a real code host they can sign in if they configured an OAuth client. */
function adminHere(login: string, { NEST_HUB_OAUTH_CLIENT_ID: client }: Environment): Record<string, string> {
  return { NEST_HUB_ADMINS: login, ...(client === undefined ? {} : { NEST_HUB_OAUTH_CLIENT_ID: client }) };
}

/** The code host to be served: ours, started here, or a real one. */
export async function findPlace(
  served: Served,
  folder: string,
  environment: Environment,
  clock: Clock,
  running: Running,
): Promise<Place> {
  const governor = (contribute: object) => ({
    eval_interval_s: served.kind === "demo" ? 15 : 60,
    // The relay works for the person who started it, so it has no hourly or daily limit.
    contribute: {
      tier_limits: Object.fromEntries(
        ["newcomer", "contributor", "trusted", "merger"].map((tier) => [tier, { max_per_hour: 0, max_per_day: 0 }]),
      ),
      ...contribute,
    },
  });
  if (served.kind === "demo") {
    const port = await usable(served.port, 8090);
    const host: LocalCodeHost = await startLocalCodeHost({ port, dataDir: folder, seed: await demoSeed(), clock });
    running.stops.push(() => host.close());
    const [contributor] = DEMO_CONTRIBUTORS;
    return {
      apiUrl: host.apiUrl,
      webUrl: host.webUrl,
      login: contributor.login,
      ownToken: contributor.token,
      hubYaml: {
        project: { org: DEMO_ORG, repos: DEMO_REPOSITORIES },
        github: { token: DEMO_HUB_TOKEN },
        governor: governor({ open_registration: true }),
      },
      nest: DEMO_NEST,
      hubToken: DEMO_HUB_TOKEN,
      clientId: LOCAL_CLIENT,
      hubEnvironment: { ...adminHere(contributor.login, environment), NEST_HUB_OAUTH_CLIENT_ID: LOCAL_CLIENT },
      words: `${host.webUrl}/${DEMO_ORG}   a local stand-in with four repositories (no -repo was given)`,
    };
  }
  const apiUrl = environment.NEST_GITHUB_API_URL ?? "https://api.github.com";
  const webUrl =
    environment.NEST_GITHUB_URL ??
    (apiUrl === "https://api.github.com" ? "https://github.com" : apiUrl.replace(/\/api\/v3\/?$/, ""));
  const [org = ""] = (served.repos[0] ?? "").split("/");
  const project = { org, repos: served.repos };
  const words = `${webUrl}   ${served.repos.join(", ")}`;
  if (served.kind === "app") {
    const github = { app_id: served.appId, installation_id: served.installationId, key_file: served.keyFile };
    return {
      apiUrl,
      webUrl,
      login: served.login,
      ownToken: undefined,
      hubYaml: { project, github, governor: governor({}) },
      clientId: environment.NEST_HUB_OAUTH_CLIENT_ID,
      hubEnvironment: adminHere(served.login, environment),
      words,
    };
  }
  const token = new Secret(served.token);
  const who = await new GitHub({ credentials: { kind: "token", token }, apiUrl, clock }).whoIs(token);
  if (who === undefined)
    throw new NestError("token_refused", "GITHUB_TOKEN: the code host refuses it", {
      hint: `check that it belongs to ${apiUrl} and has not expired`,
    });
  // The file names the variable; the token itself is never written down.
  const hubYaml = { project, github: { token: "$" + "{GITHUB_TOKEN}" }, governor: governor({}) };
  return {
    apiUrl,
    webUrl,
    login: who.login,
    ownToken: served.token,
    hubYaml,
    clientId: environment.NEST_HUB_OAUTH_CLIENT_ID,
    hubEnvironment: { GITHUB_TOKEN: served.token, ...adminHere(who.login, environment) },
    words,
  };
}
