import { z } from "zod";
import { QueueItem } from "./contribute.ts";
import { route } from "./route.ts";
import { Attempt } from "./tasks.ts";

/** What one rule says of an issue. */
export const IssueRule = z.object({
  /** A reason of the queue (`label_filter`, `claimed`), `waiting` after an earlier attempt, or `tiers` and `models`. */
  rule: z.string(),
  /** `limits`: it says to whom the issue may be given, not whether. */
  state: z.enum(["passes", "withholds", "limits", "off"]),
  /** Why it holds the issue back, in words. */
  because: z.string().optional(),
  until: z.string().optional(),
  /** The operator whose doing it is; for admins. */
  by: z.string().optional(),
  /** A pattern that matched, who works on it, a pull request, what an operator said. */
  detail: z.string().optional(),
  /** The setting that the rule is made of; for admins. */
  setting: z.object({ name: z.string(), value: z.unknown() }).optional(),
});
export type IssueRule = z.infer<typeof IssueRule>;

export const IssueReply = z.object({
  key: z.string(),
  repo: z.string(),
  number: z.number().int(),
  /** The issue as the queue has it; absent where the code host does not list it as open, or it was not read. */
  issue: QueueItem.extend({ assignees: z.array(z.string()) }).optional(),
  /** Why there is no issue: the code host lists none that is open, its repository was not read yet, or is not served. */
  unknown: z.enum(["not_open", "not_read", "not_served"]).optional(),
  /** Its number among the issues on offer, in the order in which they are handed out; absent when it is withheld. */
  place: z.number().int().optional(),
  /** How many are on offer. */
  actionable_items: z.number().int(),
  /** What keeps every relay from every issue now: handing out is suspended, everybody is paused, nothing was read yet. */
  closed: z.array(
    z.object({
      reason: z.string(),
      because: z.string(),
      until: z.string().optional(),
      /** The admin who paused everybody; for admins. */
      by: z.string().optional(),
    }),
  ),
  /** Every rule in the order in which they are asked: the first that withholds is the reason that is told. */
  rules: z.array(IssueRule),
  /** Failures in a row that are not forgotten yet; at `quarantine_at` it is left alone for hours. */
  failures: z.number().int(),
  quarantine_at: z.number().int(),
  /** An operator's hold, even if something else withholds it too. */
  hold: z
    .object({
      reason: z.string(),
      /** Who holds it; for admins. */
      by: z.string().optional(),
      at: z.string(),
      until: z.string().optional(),
    })
    .optional(),
  /** Every task that it had, newest first; at most 50. */
  attempts: z.array(Attempt),
});
export type IssueReply = z.infer<typeof IssueReply>;

export const issue = route({
  method: "GET",
  path: "/api/contribute/issues/:owner/:name/:number",
  summary: "One issue: whether it is offered now and by which rule not, its place in the queue, every attempt at it",
  access: "anyone",
  reply: IssueReply,
});
