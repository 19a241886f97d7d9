import { lastLines } from "./output.ts";

/** What an agent waits for. */
export type Standstill = "login" | "answer" | "quota";

/** How providers say that a quota is used up, whichever CLI passes it on. */
const QUOTA =
  /(?:usage|session|weekly|5-hour|rate) limit (?:reached|exceeded)|hit your (?:\w+ )?limit|exceeded your (?:\w+ ){0,3}(?:quota|allowance)|quota (?:exceeded|is used up)|insufficient_quota/i;
/** How CLIs without a terminal say that nobody is logged in. */
const LOGIN =
  /(?:(?:run|use) \/login|not logged in|Invalid API key|401 Unauthorized|OAuth token (?:has )?expired|No API key found|No authentication information)/i;

/** Whether a text says that the provider's quota is used up. */
export function saysQuota(text: string): boolean {
  return QUOTA.test(text);
}

/** What an agent that failed was waiting for, as far as its last lines tell. Pure. */
export function standstillIn(output: string): Standstill | undefined {
  const end = lastLines(output);
  if (LOGIN.test(end)) return "login";
  return QUOTA.test(end) ? "quota" : undefined;
}

/** A standstill in words. */
export function standstillWords(standstill: Standstill): string {
  switch (standstill) {
    case "login":
      return "the agent needs a login";
    case "answer":
      return "the agent asks whether it may go on";
    case "quota":
      return "the agent's provider says its quota is used up";
  }
}
