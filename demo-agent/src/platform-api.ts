import { NestError, type Secret } from "@nest/kit";
import type { IssueName } from "./prompt.ts";

export interface PlatformAddress {
  readonly apiUrl: string;
  readonly webUrl: string;
  readonly token: Secret;
}

export interface IssueText {
  readonly title: string;
  readonly body: string;
  readonly open: boolean;
}

/** The few calls that a contributor's agent makes. Each fails with a line that names the call and never the token. */
export class PlatformApi {
  readonly #address: PlatformAddress;

  constructor(address: PlatformAddress) {
    this.#address = address;
  }

  /** The login to commit as; an app's token has none of a person. */
  async login(): Promise<string> {
    const answer = await this.#call("GET", "/user", undefined, [403]);
    return typeof answer.login === "string" ? answer.login : "nest-agent";
  }

  async issue(name: IssueName): Promise<IssueText> {
    const issue = await this.#call("GET", `/repos/${name.repo}/issues/${name.number}`);
    return { title: String(issue.title), body: String(issue.body ?? ""), open: issue.state === "open" };
  }

  async defaultBranch(repo: string): Promise<string> {
    return String((await this.#call("GET", `/repos/${repo}`)).default_branch);
  }

  /** The address of the open pull request from a branch; undefined when there is none. */
  async openPullRequest(repo: string, branch: string): Promise<string | undefined> {
    const head = encodeURIComponent(`${repo.split("/")[0]}:${branch}`);
    const found: unknown = await this.#call("GET", `/repos/${repo}/pulls?state=open&head=${head}`);
    const [first] = Array.isArray(found) ? (found as { html_url?: unknown }[]) : [];
    return typeof first?.html_url === "string" ? first.html_url : undefined;
  }

  async createPullRequest(repo: string, pull: Readonly<Record<string, string>>): Promise<string> {
    return String((await this.#call("POST", `/repos/${repo}/pulls`, pull)).html_url);
  }

  async #call(
    method: string,
    path: string,
    body?: unknown,
    tolerated: readonly number[] = [],
  ): Promise<Record<string, unknown>> {
    let response: Response;
    try {
      response = await fetch(`${this.#address.apiUrl}${path}`, {
        method,
        headers: {
          accept: "application/vnd.github+json",
          authorization: `Bearer ${this.#address.token.reveal()}`,
          "user-agent": "nest-demo-agent",
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(20_000),
      });
    } catch (thrown) {
      throw new NestError("agent_platform", `${method} ${path}: the code host does not answer`, { cause: thrown });
    }
    if (!response.ok && !tolerated.includes(response.status))
      throw new NestError("agent_platform", `${method} ${path}: the code host answered ${response.status}`);
    return (await response.json()) as Record<string, unknown>;
  }
}
