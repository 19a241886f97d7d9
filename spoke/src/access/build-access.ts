import { DeviceSignIn, Signer } from "@nest/auth";
import { type CodeHost, GitHub } from "@nest/codehost";
import { type Clock, isLoopback, type Log, type Random, Secret, variable } from "@nest/kit";
import type { NestYaml } from "../config/nest-yaml.ts";
import type { SpokeSettings } from "../config/settings.ts";
import { AuthorizedUsers, readGrants } from "./authorized-users.ts";
import { DeviceFlows } from "./device-flows.ts";
import { Grants, type GrantsDeps } from "./grants.ts";
import type { SignInRouteDeps } from "./routes.ts";
import { NestSessions } from "./sessions.ts";
import { signInWay } from "./sign-in-way.ts";
import { type Doorkeeper, doorkeeper } from "./visitor.ts";

export interface AccessDeps {
  readonly settings: SpokeSettings;
  readonly config: NestYaml;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly saveUsers: GrantsDeps["save"];
  /** Writes a line of the audit; the moment is added. */
  readonly audit: (line: {
    readonly actor: string;
    readonly action: string;
    readonly before?: unknown;
    readonly after?: unknown;
  }) => Promise<void>;
  /** Says whose token it is; asked of the configured code host unless given. */
  readonly codeHost?: Pick<CodeHost, "whoIs">;
}

/** Who asks, how they sign in and who may: wired to each other. */
export interface NestAccess {
  readonly keeper: Doorkeeper;
  readonly sessions: NestSessions;
  readonly signIn: SignInRouteDeps;
}

/** Puts together who may come in. Sessions of people who lost their role while the nest was down are ended. */
export async function buildAccess(deps: AccessDeps): Promise<NestAccess> {
  const { settings, config, clock, random, log, audit, saveUsers } = deps;
  const always = (variable(settings.environment, "NEST_AUTHORIZED_USERS") ?? "")
    .split(",")
    .filter((one) => one.trim() !== "");
  const entries = config.dashboard.authorized_users ?? [];
  for (const entry of [...readGrants(always).faulty, ...readGrants(entries).faulty])
    log.warn({ entry }, "an entry of authorized_users is not <login>:<role> and gives nobody a role");
  const users = new AuthorizedUsers(always, entries);
  const sessions = await NestSessions.open({ dataFolder: settings.dataFolder, clock, random });
  const grants = new Grants({ users, sessions, save: saveUsers, audit });
  await grants.apply(entries);
  const way = () => signInWay(config, !users.isEmpty);
  const { by, hint } = way();
  if (by === "none" && (config.github.oauth_client_id !== undefined || entries.length > 0))
    log.warn({ hint }, "nobody can sign in at this nest");
  const flows = new DeviceFlows({ signIn: deviceSignIn(deps), clock, random });
  return {
    keeper: keeperOf(deps, users, sessions),
    sessions,
    signIn: { flows, sessions, users, grants, way, log, audit },
  };
}

function deviceSignIn({ settings, config, clock, random, codeHost }: AccessDeps): DeviceSignIn {
  // Asked whose token it is, it says nothing of its own: it needs no credentials.
  const nobody = { kind: "token", token: new Secret("") } as const;
  return new DeviceSignIn({
    words: { what: "nest", hint: "set github.oauth_client_id in nest.yaml" },
    codeHost: codeHost ?? new GitHub({ apiUrl: settings.apiUrl, clock, random, credentials: nobody }),
    clientId: config.github.oauth_client_id,
    webUrl: settings.webUrl,
    signer: new Signer(Buffer.from(random.hex(32), "hex"), "nest-spoke device v1"),
    clock,
  });
}

function keeperOf({ settings, config, clock }: AccessDeps, users: AuthorizedUsers, sessions: NestSessions): Doorkeeper {
  const { dashboard, hub } = config;
  return doorkeeper({
    hubProxied: dashboard.hub_proxied,
    trustedProxies: dashboard.trusted_proxies,
    proxyAuth: settings.dashboardToken,
    now: () => clock.now(),
    strangersSee: isForThisMachineAlone(settings, config) ? "everything" : hub.is_public ? "public" : "nothing",
    inContainer: settings.inContainer,
    ownHosts: dashboard.public_url == null ? [] : [new URL(dashboard.public_url).host],
    sessionOf: (token) => {
      const login = sessions.loginOf(token);
      const role = login === undefined ? undefined : users.roleOf(login);
      return login === undefined || role === undefined ? undefined : { login, role };
    },
  });
}

/** Repository names can be private: without any sign-in they are for this machine, where nothing else can reach the nest. */
function isForThisMachineAlone({ host }: SpokeSettings, { dashboard, github }: NestYaml): boolean {
  const hasSignIn = dashboard.hub_proxied || github.oauth_client_id !== undefined;
  const isOpen = dashboard.open_on_this_machine ?? !hasSignIn;
  return isOpen && !dashboard.hub_proxied && dashboard.trusted_proxies.length === 0 && isLoopback(host);
}
