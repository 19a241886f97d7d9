import type { nestRuns } from "@nest/protocol";
import { count, plural } from "../../shared/format/format.ts";

/** Why a run began. */
export function triggerWords({ trigger, by }: Pick<nestRuns.Run, "trigger" | "by">): string {
  if (trigger === "schedule") return "in its turn";
  const who = by === undefined ? "" : ` by ${by}`;
  return trigger === "restart" ? `after a restart${who}` : `set to work${who}`;
}

/** What a run changed in its checkout. */
export function diffWords({ files, added, removed }: NonNullable<nestRuns.Run["diff"]>): string {
  if (files === 0) return "no changes left behind";
  return `${plural(files, "file")}, +${count(added)} −${count(removed)}`;
}

/** What a run used, as far as its CLI reports it. */
export function usageWords({ tokens, cost_usd: cost }: nestRuns.Usage): string {
  const said = [
    ...(tokens === undefined ? [] : [plural(tokens, "token")]),
    ...(cost === undefined ? [] : [`$${cost.toFixed(2)}`]),
  ];
  return said.length === 0 ? "not reported" : said.join(", ");
}

/** A link's last words: `acme/shop#12` for a pull request or an issue, else the address itself. */
export function linkWords(address: string): string {
  const match = /\/([^/]+\/[^/]+)\/(?:pull|issues)\/(\d+)\/?$/.exec(address);
  return match === null ? address : `${match[1]}#${match[2]}`;
}
