import type { PaneSigns } from "./backend.ts";
import { type Standstill, saysQuota } from "./standstill.ts";
import { verdictLines } from "./verdict.ts";

export type PaneState = "ready" | "busy" | "login_needed" | "asking" | "quota" | "unclear";

/** How many lines from the bottom a CLI's own signs stand in; above are the agent's words, which may quote anything. */
const SIGN_LINES = 25;

/** What the visible part of a pane says about the CLI in it. Pure. */
export function paneStateOf(screen: string, signs: PaneSigns): PaneState {
  const lines = screen.split("\n").filter((line) => line.trim() !== "");
  const bottom = lines.slice(-SIGN_LINES).join("\n");
  if (signs.busy?.test(bottom) === true) return "busy";
  if (signs.loginNeeded?.test(bottom) === true) return "login_needed";
  if (signs.asking?.test(bottom) === true) return "asking";
  if (saysQuota(bottom)) return "quota";
  return signs.ready.test(bottom) ? "ready" : "unclear";
}

/** What a state keeps an agent from; undefined for one that works, or could. */
export function standstillOf(state: PaneState): Standstill | undefined {
  switch (state) {
    case "login_needed":
      return "login";
    case "asking":
      return "answer";
    case "quota":
      return "quota";
    case "busy":
    case "ready":
    case "unclear":
      return undefined;
  }
}

/** Whether the CLI asks, of this very folder, whether it may be trusted. Pure. */
export function asksToTrust(screen: string, folder: string, signs: PaneSigns): boolean {
  if (signs.trust?.test(screen) !== true) return false;
  // A frame may stand around the path, and a narrow one breaks it.
  return screen.replace(/[\s│┃|]/g, "").includes(folder.replace(/[\s│┃|]/g, ""));
}

/** What the pane already held before a prompt was typed, so that an old verdict does not end a new task. */
export interface Baseline {
  readonly verdicts: number;
  readonly prompt: string;
}

/** Where the pane stands before typing. */
export function baselineOf(text: string, prompt: string): Baseline {
  return { verdicts: verdictLines(text).length, prompt };
}

/** Whether a pane holds a verdict line that is neither of the time before the prompt nor the prompt's own echo. Pure. */
export function hasNewVerdict(text: string, baseline: Baseline): boolean {
  const offered = verdictLines(baseline.prompt);
  const since = verdictLines(text).slice(baseline.verdicts);
  const echoes = [...offered];
  return since.some((verdict) => {
    const echo = echoes.findIndex(
      (line) => line.word === verdict.word && (line.reason ?? "").startsWith(verdict.reason ?? ""),
    );
    // A bare word is an echo only of a bare line; a reason may have been wrapped and cut.
    if (echo < 0 || (verdict.reason === undefined && echoes[echo]?.reason !== undefined)) return true;
    echoes.splice(echo, 1);
    return false;
  });
}

/** The agent's own words in the pane: what came after the last place where the prompt's end shows. */
export function afterPrompt(text: string, prompt: string): string {
  const last = prompt
    .split("\n")
    .map((line) => line.trim())
    .findLast((line) => line.length > 8);
  const at = last === undefined ? -1 : text.lastIndexOf(last.slice(0, 150));
  return at < 0 ? text : text.slice(at + (last?.length ?? 0));
}
