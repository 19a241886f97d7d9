import { demandWrite } from "./access.ts";
import { ApiRefusal, type ApiRequest, bodyNames, bodyText, paged, type Route } from "./api-call.ts";
import type { Platform } from "./platform.ts";
import { iso, showUser } from "./shown.ts";
import { type CheckRunRecord, fullName, type RepositoryRecord, type StatusRecord } from "./state.ts";

const REPO = "/repos/:owner/:repo";

/** Commit statuses, check runs, branches and what protects them. */
export function checkRoutes(platform: Platform): Route[] {
  const commit = async (repo: RepositoryRecord, request: ApiRequest) => {
    const sha = await platform.git.resolve(fullName(repo), request.params.ref ?? "");
    if (sha === undefined) throw new ApiRefusal(422, `No commit found for SHA: ${request.params.ref}`);
    return sha;
  };
  return [
    {
      method: "POST",
      path: `${REPO}/statuses/:ref`,
      async answer(request) {
        const repo = platform.repository(request);
        const creator = demandWrite(request.caller, repo, "statuses");
        const status: StatusRecord = {
          id: platform.store.nextId(),
          sha: await commit(repo, request),
          context: bodyText(request, "context", "default"),
          state: oneOf(bodyText(request, "state"), ["error", "failure", "pending", "success"]),
          description: bodyText(request, "description", ""),
          creator,
          createdAt: platform.now(),
        };
        repo.statuses.push(status);
        return { status: 201, body: showStatus(platform, status) };
      },
    },
    {
      method: "GET",
      path: `${REPO}/commits/:ref/status`,
      async answer(request) {
        const repo = platform.repository(request);
        const sha = await commit(repo, request);
        const latest = new Map<string, StatusRecord>();
        for (const status of repo.statuses) if (status.sha === sha) latest.set(status.context, status);
        const all = [...latest.values()];
        const states = all.map((status) => status.state);
        const failed = states.includes("failure") || states.includes("error");
        const green = states.length > 0 && states.every((state) => state === "success");
        const page = paged(request, all, (status) => showStatus(platform, status), "statuses");
        const state = failed ? "failure" : green ? "success" : "pending";
        return { ...page, body: { ...(page.body as object), sha, state } };
      },
    },
    {
      method: "GET",
      path: `${REPO}/commits/:ref/statuses`,
      async answer(request) {
        const repo = platform.repository(request);
        const sha = await commit(repo, request);
        const all = repo.statuses.filter((status) => status.sha === sha).reverse();
        return paged(request, all, (status) => showStatus(platform, status));
      },
    },
    ...runRoutes(platform, commit),
    ...branchRoutes(platform),
  ];
}

function runRoutes(
  platform: Platform,
  commit: (repo: RepositoryRecord, request: ApiRequest) => Promise<string>,
): Route[] {
  return [
    {
      method: "POST",
      path: `${REPO}/check-runs`,
      async answer(request) {
        const repo = platform.repository(request);
        demandWrite(request.caller, repo, "checks");
        const params = { ...request.params, ref: bodyText(request, "head_sha") };
        const conclusion = bodyText(request, "conclusion", "");
        const run: CheckRunRecord = {
          id: platform.store.nextId(),
          sha: await commit(repo, { ...request, params }),
          name: bodyText(request, "name"),
          appId: appOf(platform, request),
          status: bodyText(request, "status", conclusion === "" ? "queued" : "completed"),
          conclusion: conclusion === "" ? null : conclusion,
          startedAt: platform.now(),
        };
        repo.checkRuns.push(run);
        return { status: 201, body: showRun(run) };
      },
    },
    {
      method: "PATCH",
      path: `${REPO}/check-runs/:id`,
      answer(request) {
        const repo = platform.repository(request);
        demandWrite(request.caller, repo, "checks");
        const run = repo.checkRuns.find((one) => String(one.id) === request.params.id);
        if (run === undefined) throw new ApiRefusal(404, "Not Found");
        const conclusion = bodyText(request, "conclusion", run.conclusion ?? "");
        run.conclusion = conclusion === "" ? null : conclusion;
        run.status = bodyText(request, "status", conclusion === "" ? run.status : "completed");
        return { status: 200, body: showRun(run) };
      },
    },
    {
      method: "GET",
      path: `${REPO}/commits/:ref/check-runs`,
      async answer(request) {
        const repo = platform.repository(request);
        const sha = await commit(repo, request);
        const latest = new Map<string, CheckRunRecord>();
        for (const run of repo.checkRuns) if (run.sha === sha) latest.set(`${run.appId} ${run.name}`, run);
        const all = request.query.get("filter") === "all" ? repo.checkRuns.filter((run) => run.sha === sha) : undefined;
        return paged(request, all ?? [...latest.values()], showRun, "check_runs");
      },
    },
  ];
}

function branchRoutes(platform: Platform): Route[] {
  return [
    {
      method: "GET",
      path: `${REPO}/branches`,
      async answer(request) {
        const repo = platform.repository(request);
        const heads = [...(await platform.git.heads(fullName(repo)))];
        return paged(request, heads, ([name, sha]) => showBranch(repo, name, sha));
      },
    },
    {
      method: "GET",
      path: `${REPO}/branches/:branch`,
      async answer(request) {
        const repo = platform.repository(request);
        const branch = request.params.branch ?? "";
        const sha = (await platform.git.heads(fullName(repo))).get(branch);
        if (sha === undefined) throw new ApiRefusal(404, "Branch not found");
        return { status: 200, body: showBranch(repo, branch, sha) };
      },
    },
    ...protectionRoutes(platform),
    ...refRoutes(platform),
  ];
}

/** What must pass before a merge into a branch: its protection, and rulesets. */
function protectionRoutes(platform: Platform): Route[] {
  return [
    {
      method: "GET",
      path: `${REPO}/branches/:branch/protection`,
      answer(request) {
        const repo = platform.repository(request);
        demandWrite(request.caller, repo, "administration");
        const kept = repo.protection[request.params.branch ?? ""];
        if (kept === undefined) throw new ApiRefusal(404, "Branch not protected");
        return { status: 200, body: { required_status_checks: { strict: false, contexts: kept.contexts } } };
      },
    },
    {
      method: "PUT",
      path: `${REPO}/branches/:branch/protection`,
      answer(request) {
        const repo = platform.repository(request);
        demandWrite(request.caller, repo, "administration");
        const checks = request.body.required_status_checks;
        const body = typeof checks === "object" && checks !== null ? (checks as Record<string, unknown>) : {};
        const contexts = bodyNames({ ...request, body }, "contexts") ?? [];
        repo.protection[request.params.branch ?? ""] = { contexts };
        return { status: 200, body: { required_status_checks: { strict: false, contexts } } };
      },
    },
    {
      method: "DELETE",
      path: `${REPO}/branches/:branch/protection`,
      answer(request) {
        const repo = platform.repository(request);
        demandWrite(request.caller, repo, "administration");
        delete repo.protection[request.params.branch ?? ""];
        return { status: 204 };
      },
    },
    {
      method: "GET",
      path: `${REPO}/rules/branches/:branch`,
      answer(request) {
        const repo = platform.repository(request);
        const rules = repo.rules.filter((rule) => rule.branch === request.params.branch);
        return paged(request, rules, (rule) => ({
          type: "required_status_checks",
          parameters: { required_status_checks: rule.contexts.map((context) => ({ context })) },
        }));
      },
    },
  ];
}

function refRoutes(platform: Platform): Route[] {
  return [
    {
      method: "GET",
      path: `${REPO}/git/ref/heads/*`,
      async answer(request) {
        const repo = platform.repository(request);
        const branch = request.params["*"] ?? "";
        const sha = (await platform.git.heads(fullName(repo))).get(branch);
        if (sha === undefined) throw new ApiRefusal(404, "Not Found");
        return { status: 200, body: { ref: `refs/heads/${branch}`, object: { type: "commit", sha } } };
      },
    },
    {
      method: "DELETE",
      path: `${REPO}/git/refs/heads/*`,
      async answer(request) {
        const repo = platform.repository(request);
        demandWrite(request.caller, repo, "contents");
        const branch = request.params["*"] ?? "";
        if (!(await platform.git.heads(fullName(repo))).has(branch))
          throw new ApiRefusal(422, "Reference does not exist");
        await platform.git.deleteBranch(fullName(repo), branch);
        return { status: 204 };
      },
    },
  ];
}

function showBranch(repo: RepositoryRecord, name: string, sha: string) {
  const contexts = repo.protection[name]?.contexts;
  const checks = { enforcement_level: contexts === undefined ? "off" : "non_admins", contexts: contexts ?? [] };
  return {
    name,
    commit: { sha },
    protected: contexts !== undefined,
    protection: { enabled: contexts !== undefined, required_status_checks: { ...checks, checks: [] } },
  };
}

function showStatus(platform: Platform, status: StatusRecord) {
  return {
    id: status.id,
    context: status.context,
    state: status.state,
    description: status.description,
    creator: showUser(platform, status.creator),
    created_at: iso(status.createdAt),
    updated_at: iso(status.createdAt),
  };
}

function showRun(run: CheckRunRecord) {
  return {
    id: run.id,
    name: run.name,
    head_sha: run.sha,
    status: run.status,
    conclusion: run.conclusion,
    started_at: iso(run.startedAt),
    app: { id: run.appId },
  };
}

function appOf(platform: Platform, request: ApiRequest): number {
  const installation = request.caller.kind === "user" ? request.caller.record.installation?.id : undefined;
  const app = platform.store.state.apps.find((one) => one.installations.some(({ id }) => id === installation));
  return app?.id ?? 1;
}

function oneOf(value: string, allowed: readonly string[]): string {
  if (allowed.includes(value)) return value;
  throw new ApiRefusal(422, `Validation Failed: ${value}`);
}
