import { loginOf, maySee } from "./access.ts";
import { ApiRefusal, type ApiRequest, bodyNames, paged, type Route } from "./api-call.ts";
import type { Platform } from "./platform.ts";
import { iso, showRepository, showUser } from "./shown.ts";
import { type AppRecord, fullName } from "./state.ts";

/** How long an installation token lives. */
const INSTALLATION_TOKEN_MS = 3_600_000;

/** People, repositories as such, the app and its installation tokens, webhooks. */
export function identityRoutes(platform: Platform): Route[] {
  return [
    {
      method: "GET",
      path: "/user",
      answer(request) {
        if (request.caller.kind === "user" && request.caller.record.installation !== undefined)
          throw new ApiRefusal(403, "Resource not accessible by integration");
        return { status: 200, body: showUser(platform, loginOf(request.caller)) };
      },
    },
    {
      method: "GET",
      path: "/users/:login",
      answer(request) {
        const wanted = (request.params.login ?? "").toLowerCase();
        const user = platform.store.state.users.find((one) => one.login.toLowerCase() === wanted);
        if (user === undefined) throw new ApiRefusal(404, "Not Found");
        return { status: 200, body: showUser(platform, user.login) };
      },
    },
    {
      method: "GET",
      path: "/repos/:owner/:repo",
      answer: (request) => ({ status: 200, body: showRepository(platform, platform.repository(request)) }),
    },
    {
      method: "GET",
      path: "/orgs/:owner/repos",
      answer(request) {
        const repos = platform.store.state.repositories.filter(
          (repo) => repo.owner === request.params.owner && maySee(request.caller, repo),
        );
        return paged(request, repos, (repo) => showRepository(platform, repo));
      },
    },
    {
      method: "POST",
      path: "/repos/:owner/:repo/hooks",
      answer(request) {
        const repo = platform.repository(request);
        loginOf(request.caller);
        const config = request.body.config as { url?: unknown; secret?: unknown } | undefined;
        if (typeof config?.url !== "string") throw new ApiRefusal(422, "Validation Failed: config.url is missing");
        const events = bodyNames(request, "events") ?? ["push"];
        const id = platform.store.nextId();
        repo.hooks.push({ id, url: config.url, secret: String(config.secret ?? ""), events });
        return { status: 201, body: { id, active: true, events, config: { url: config.url } } };
      },
    },
    ...appRoutes(platform),
  ];
}

function appRoutes(platform: Platform): Route[] {
  return [
    {
      method: "GET",
      path: "/app",
      answer(request) {
        const app = appOf(request);
        return { status: 200, body: { id: app.id, slug: app.slug, name: app.slug, permissions: app.permissions } };
      },
    },
    {
      method: "GET",
      path: "/app/installations",
      answer(request) {
        const app = appOf(request);
        return paged(request, app.installations, ({ id, account }) => showInstallation(platform, app, id, account));
      },
    },
    {
      method: "GET",
      path: "/repos/:owner/:repo/installation",
      answer(request) {
        const app = appOf(request);
        const found = app.installations.find(({ account }) => account === request.params.owner);
        if (found === undefined) throw new ApiRefusal(404, "Not Found");
        return { status: 200, body: showInstallation(platform, app, found.id, found.account) };
      },
    },
    {
      method: "POST",
      path: "/app/installations/:id/access_tokens",
      answer: (request) => installationToken(platform, request),
    },
    {
      method: "GET",
      path: "/installation/repositories",
      answer(request) {
        const { account, only } = installationOf(platform, request);
        const repos = platform.store.state.repositories.filter(
          (repo) => repo.owner === account && only?.includes(fullName(repo)) !== false,
        );
        return paged(request, repos, (repo) => showRepository(platform, repo), "repositories");
      },
    },
    {
      method: "DELETE",
      path: "/installation/token",
      answer(request) {
        installationOf(platform, request);
        if (request.caller.kind === "user") delete platform.store.state.tokens[request.caller.token];
        return { status: 204 };
      },
    },
  ];
}

function installationToken(platform: Platform, request: ApiRequest) {
  const app = appOf(request);
  const installation = app.installations.find(({ id }) => String(id) === request.params.id);
  if (installation === undefined) throw new ApiRefusal(404, "Not Found");
  const names = bodyNames(request, "repositories");
  const repositories = names?.map((name) => {
    const repo = platform.store.repository(installation.account, name);
    if (repo === undefined) throw new ApiRefusal(422, `There is no installation access to the repository ${name}`);
    return fullName(repo);
  });
  const asked = request.body.permissions as Readonly<Record<string, string>> | undefined;
  for (const [name, access] of Object.entries(asked ?? {})) {
    const most = app.permissions[name];
    if (most === undefined || (access === "write" && most !== "write"))
      throw new ApiRefusal(422, "The permissions requested are not granted to this installation.");
  }
  const permissions = asked ?? app.permissions;
  const token = `ghs_${platform.random.hex(18)}`;
  const expiresAt = platform.now() + INSTALLATION_TOKEN_MS;
  const narrowed = { id: installation.id, permissions, ...(repositories === undefined ? {} : { repositories }) };
  platform.store.state.tokens[token] = { login: `${app.slug}[bot]`, expiresAt, installation: narrowed };
  const body = { token, expires_at: iso(expiresAt), permissions, repository_selection: names ? "selected" : "all" };
  return { status: 201, body };
}

function installationOf(platform: Platform, request: ApiRequest) {
  const installation = request.caller.kind === "user" ? request.caller.record.installation : undefined;
  if (installation === undefined) throw new ApiRefusal(403, "You must authenticate with an installation access token");
  const every = platform.store.state.apps.flatMap((app) => app.installations);
  const account = every.find(({ id }) => id === installation.id)?.account;
  return { account, only: installation.repositories };
}

function appOf(request: ApiRequest): AppRecord {
  if (request.caller.kind === "app") return request.caller.app;
  throw new ApiRefusal(401, "A JSON web token could not be decoded");
}

function showInstallation(platform: Platform, app: AppRecord, id: number, account: string) {
  return {
    id,
    app_id: app.id,
    app_slug: app.slug,
    account: showUser(platform, account),
    permissions: app.permissions,
    repository_selection: "all",
  };
}
