import { createHash } from "node:crypto";
import type { Once } from "@nest/auth";
import { verifyWebhook } from "@nest/codehost";
import type { QueueFeed } from "@nest/dispatch";
import { NestError, type Secret } from "@nest/kit";
import { z } from "zod";

export interface WebhookDeps {
  readonly secret: Secret | undefined;
  readonly monitor: QueueFeed;
  /** Accepts each delivery once. */
  readonly once: Once;
}

export interface Delivery {
  readonly body: Buffer;
  readonly signature: string | undefined;
  readonly event: string | undefined;
  readonly delivery: string | undefined;
  readonly isForm: boolean;
}

/** Events after which a repository is read again. */
const READ_AFTER: ReadonlySet<string> = new Set([
  "issues",
  "issue_comment",
  "pull_request",
  "check_run",
  "check_suite",
  "status",
  "label",
  "repository",
  "public",
]);
/** Events after which the list of repositories is read again. */
const LIST_AFTER: ReadonlySet<string> = new Set(["installation", "installation_repositories"]);

const Payload = z.looseObject({
  repository: z.looseObject({ full_name: z.string().max(300) }).optional(),
});

/**
 * Accepts the code host's webhooks: only signed ones, each delivery once. A delivery only says what to read again; its
 * content is not used otherwise.
 */
export class Webhooks {
  readonly #deps: WebhookDeps;

  constructor(deps: WebhookDeps) {
    this.#deps = deps;
  }

  /**
   * Checks a delivery's headers: webhooks must be configured and the signature must be present and well formed.
   *
   * @throws NestError `invalid_webhook`.
   */
  checkHead(signature: string | string[] | undefined): void {
    if (this.#deps.secret === undefined) throw noSecret();
    if (typeof signature !== "string" || !/^sha256=[0-9a-f]{64}$/i.test(signature)) throw notSigned();
  }

  /**
   * Accepts one delivery; the repository that it names is read within a second.
   *
   * @throws NestError `invalid_webhook`, `conflict` for a delivery that was accepted before, `bad_request`.
   */
  async take(delivery: Delivery): Promise<{ ok: true; refreshing: string[] }> {
    const { secret, monitor, once } = this.#deps;
    if (secret === undefined) throw noSecret();
    if (!verifyWebhook(secret, delivery.body, delivery.signature)) throw notSigned();
    if (delivery.delivery === undefined || !/^[A-Za-z0-9-]{8,100}$/.test(delivery.delivery))
      throw new NestError("bad_request", "X-GitHub-Delivery: is missing");
    const payload = read(delivery);
    // Identified by the signed body: the delivery's id is not signed, so anyone who saw a delivery could send it again with
    // another id.
    if (!(await once.isFirst(createHash("sha256").update(delivery.body).digest("hex"))))
      throw new NestError("conflict", "this delivery was taken already");
    const event = delivery.event ?? "";
    if (LIST_AFTER.has(event)) {
      void monitor.refresh().catch(() => {});
      return { ok: true, refreshing: ["*"] };
    }
    const repo = payload.repository?.full_name;
    if (repo === undefined || !READ_AFTER.has(event)) return { ok: true, refreshing: [] };
    const visibility = event === "repository" || event === "public";
    return { ok: true, refreshing: monitor.refreshSoon(repo, { visibility }) ? [repo] : [] };
  }
}

function noSecret(): NestError {
  return new NestError("invalid_webhook", "this hub takes no webhooks", {
    hint: "set github.webhook_secret in nest.yaml, or NEST_GITHUB_WEBHOOK_SECRET",
  });
}

function notSigned(): NestError {
  return new NestError("invalid_webhook", "the signature is missing or wrong", {
    hint: "the code host signs with the same secret as github.webhook_secret",
  });
}

function read({ body, isForm }: Delivery): z.infer<typeof Payload> {
  try {
    const text = body.toString("utf8");
    return Payload.parse(JSON.parse(isForm ? (new URLSearchParams(text).get("payload") ?? "") : text));
  } catch {
    throw new NestError("bad_request", "body: not a webhook's JSON");
  }
}
