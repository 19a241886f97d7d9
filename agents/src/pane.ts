import type { PaneSigns } from "./cli/backend.ts";
import { type Standstill, saysQuota } from "./standstill.ts";
import { verdictLines } from "./verdict.ts";

export type PaneState = "ready" | "busy" | "login_needed" | "asking" | "quota" | "unclear";

/** A CLI's own signs are in this many last lines; above them are the agent's words, which may quote anything. */
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

/** What an agent in this state waits for; undefined for one that works, or could. */
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

/** Whether the CLI asks if this very folder may be trusted. Pure. */
export function asksToTrust(screen: string, folder: string, signs: PaneSigns): boolean {
  if (signs.trust?.test(screen) !== true) return false;
  // The CLI may draw a frame around the path, and a narrow frame wraps it.
  return screen.replace(/[\s│┃|]/g, "").includes(folder.replace(/[\s│┃|]/g, ""));
}

/** What the pane held before a prompt was typed, so that an old verdict does not end a new task. */
export interface Baseline {
  readonly verdicts: number;
  readonly prompt: string;
}

/** Takes the baseline; call it before the prompt is typed. */
export function baselineOf(text: string, prompt: string): Baseline {
  return { verdicts: verdictLines(text).length, prompt };
}

/** Whether a pane holds a new verdict line: one that came after the baseline and is not the prompt's echo. Pure. */
export function hasNewVerdict(text: string, baseline: Baseline): boolean {
  const offered = verdictLines(baseline.prompt);
  const since = verdictLines(text).slice(baseline.verdicts);
  const echoes = [...offered];
  return since.some((verdict) => {
    const echo = echoes.findIndex(
      (line) => line.word === verdict.word && (line.reason ?? "").startsWith(verdict.reason ?? ""),
    );
    // A bare word is an echo only of a bare line. A line with a reason may have been wrapped, so its echo may have a shorter
    // reason.
    if (echo < 0 || (verdict.reason === undefined && echoes[echo]?.reason !== undefined)) return true;
    echoes.splice(echo, 1);
    return false;
  });
}

/** The agent's own output: the text after the last place where the prompt's final line is shown. */
export function afterPrompt(text: string, prompt: string): string {
  const last = prompt
    .split("\n")
    .map((line) => line.trim())
    .findLast((line) => line.length > 8);
  const at = last === undefined ? -1 : text.lastIndexOf(last.slice(0, 150));
  return at < 0 ? text : text.slice(at + (last?.length ?? 0));
}
