import { createHmac } from "node:crypto";
import { type Random, sentenceOf } from "@nest/kit";
import { type Caller, maySee } from "./access.ts";
import { ApiRefusal, type ApiRequest } from "./api-call.ts";
import type { GitRepositories } from "./git-repositories.ts";
import { fullName, type IssueRecord, type RepositoryRecord, type Store } from "./state.ts";

export interface PlatformDeps {
  readonly store: Store;
  readonly git: GitRepositories;
  readonly random: Random;
  /** `http://127.0.0.1:P`, once it is known. */
  readonly url: () => string;
}

/** What the routes of the API and the pages share: the records, the git side, and the news to webhooks. */
export class Platform {
  readonly store: Store;
  readonly git: GitRepositories;
  readonly random: Random;
  readonly #url: () => string;
  readonly #deliveries = new Set<Promise<void>>();

  constructor(deps: PlatformDeps) {
    this.store = deps.store;
    this.git = deps.git;
    this.random = deps.random;
    this.#url = deps.url;
  }

  get url(): string {
    return this.#url();
  }

  now(): number {
    return this.store.clock.now();
  }

  /** The repository that a request names. @throws 404 also where it is hidden from the caller */
  repository(request: Pick<ApiRequest, "params"> & { readonly caller: Caller }): RepositoryRecord {
    const repo = this.store.repository(request.params.owner ?? "", request.params.repo ?? "");
    if (repo === undefined || !maySee(request.caller, repo)) throw new ApiRefusal(404, "Not Found");
    return repo;
  }

  /** The issue or pull request that a request names. @throws 404 */
  issue(repo: RepositoryRecord, request: Pick<ApiRequest, "params">): IssueRecord {
    const found = repo.issues.find((issue) => String(issue.number) === request.params.number);
    if (found === undefined) throw new ApiRefusal(404, "Not Found");
    return found;
  }

  /** Open pull requests follow their branches: call it after anything moved. */
  async followBranches(repo: RepositoryRecord): Promise<void> {
    const heads = await this.git.heads(fullName(repo));
    for (const issue of repo.issues) {
      const { pull } = issue;
      if (pull === undefined || issue.state !== "open" || pull.headRepo !== fullName(repo)) continue;
      const head = heads.get(pull.headRef);
      pull.baseSha = heads.get(pull.baseRef) ?? pull.baseSha;
      if (head === undefined || head === pull.headSha) continue;
      pull.headSha = head;
      issue.updatedAt = this.now();
    }
  }

  /** Tells the repository's webhooks, signed, without waiting for them. */
  tell(repo: RepositoryRecord, event: string, action: string, payload: Readonly<Record<string, unknown>>): void {
    const body = JSON.stringify({ action, ...payload, repository: { full_name: fullName(repo), name: repo.name } });
    for (const hook of repo.hooks) {
      if (!hook.events.includes(event) && !hook.events.includes("*")) continue;
      const signature = createHmac("sha256", hook.secret).update(body).digest("hex");
      const headers = {
        "content-type": "application/json",
        "x-github-event": event,
        "x-github-delivery": this.random.hex(16),
        "x-hub-signature-256": `sha256=${signature}`,
      };
      const sent = fetch(hook.url, { method: "POST", headers, body, signal: AbortSignal.timeout(5000) })
        .then(
          (response) => response.body?.cancel(),
          (thrown) => process.emitWarning(`webhook: ${sentenceOf(thrown)}`),
        )
        .then(() => {
          this.#deliveries.delete(sent);
        });
      this.#deliveries.add(sent);
    }
  }

  /** Resolves when every webhook that was sent has been answered or given up. */
  async delivered(): Promise<void> {
    await Promise.all(this.#deliveries);
  }
}
