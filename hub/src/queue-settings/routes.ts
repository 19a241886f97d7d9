import type { CommandBatcher, PatternJudge, Queue } from "@nest/dispatch";
import { governor as described } from "@nest/protocol";
import type { HubRoutes } from "../access/viewer.ts";
import { impactOf } from "./impact.ts";
import { preview, type Subject } from "./preview.ts";
import type { QueueSettings } from "./queue-settings.ts";

export interface QueueSettingsRouteDeps {
  readonly queueSettings: QueueSettings;
  readonly batcher: CommandBatcher;
  readonly queue: Queue;
  readonly judge: PatternJudge;
  /** The relays that are connected, by the model that each declared. */
  readonly models: () => Iterable<{ readonly model: string; readonly login: string }>;
  /** Resolves once the queue has been judged by the rules in force. */
  readonly settled: () => Promise<void>;
  readonly now: () => number;
}

/** Reads and changes the queue configuration, and shows beforehand what a list of patterns would match. */
export function registerQueueSettingsRoutes(routes: HubRoutes, deps: QueueSettingsRouteDeps): void {
  const { queueSettings, batcher, queue, judge, settled, now } = deps;
  routes.serve(described.governor, ({ reply }) => {
    reply.header("etag", `"${queueSettings.tag}"`).header("cache-control", "no-store");
    return queueSettings.settings;
  });
  routes.serve(described.changeGovernor, async ({ body, actor, request, reply }) => {
    const expected = request.headers["if-match"]?.trim().replace(/^"(.*)"$/, "$1");
    await queueSettings.change(body, actor, batcher, expected === "*" ? undefined : expected);
    await settled();
    reply.header("etag", `"${queueSettings.tag}"`);
    return { status: "updated" as const };
  });
  routes.serve(described.previewImpact, ({ body }) =>
    impactOf(body, { queue, settings: queueSettings.settings, judge, now }),
  );
  routes.serve(described.previewPatterns, ({ body }) =>
    preview(
      body.key,
      body.patterns,
      [...(body.key === "contribute_allow_models" ? models(deps.models()) : issues(queue, body.key))],
      judge,
    ),
  );
}

function* issues(queue: Queue, key: described.PatternKey): Generator<Subject> {
  for (const { key: item, title, issue } of [...queue.entries()]) {
    const texts = {
      contribute_deny_labels: issue.labels,
      contribute_deny_titles: [title],
      contribute_deny_authors: [issue.author],
      contribute_allow_models: [],
    }[key];
    yield { texts, key: item, title };
  }
}

function* models(relays: Iterable<{ readonly model: string; readonly login: string }>): Generator<Subject> {
  for (const { model, login } of [...relays]) yield { texts: [model], title: login };
}
