/** What a run used, as its CLI itself says. */
export interface Usage {
  readonly tokens?: number;
  readonly costUsd?: number;
}

/** How CLIs print totals; the last match of each counts, because a total may be printed many times. */
const TOTAL_TOKENS: readonly RegExp[] = [
  // codex: `tokens used: 12,345`, or the number on the line below; at the end of a session `Token usage: total=12,345 input=…`.
  /\btokens used:?\s*([\d,]{1,15})\b/gi,
  /\btoken usage: total=([\d,]{1,15})/gi,
  /\btotal tokens:?\s*([\d,.]{1,15}[km]?)/gi,
];
/** aider prints these after each answer: they add up. */
const TOKENS_OF_AN_ANSWER = /\btokens: ([\d,.]{1,12}[km]?) sent,[^\n]{0,80}? ([\d,.]{1,12}[km]?) received/gi;
const TOTAL_COST: readonly RegExp[] = [
  /\btotal cost:?\s*\$([\d,.]{1,15})/gi,
  // aider: `Cost: $0.01 message, $0.05 session.`
  /\$([\d,.]{1,15}) session\b/gi,
];

/** Only the end of an output is read: a summary comes last, and a run may print without end. */
const READ_CHARACTERS = 200_000;

/** Reads what a run used out of its output; nothing where its CLI says nothing. Pure. */
export function usageIn(output: string): Usage {
  const text = output.slice(-READ_CHARACTERS);
  const answers = [...text.matchAll(TOKENS_OF_AN_ANSWER)].map(([, sent, received]) => amount(sent) + amount(received));
  const tokens = [...totals(text, TOTAL_TOKENS), ...(answers.length === 0 ? [] : [answers.reduce((a, b) => a + b)])];
  const costs = totals(text, TOTAL_COST);
  return {
    ...(tokens.length === 0 ? {} : { tokens: Math.round(Math.max(...tokens)) }),
    ...(costs.length === 0 ? {} : { costUsd: Math.max(...costs) }),
  };
}

function totals(text: string, patterns: readonly RegExp[]): number[] {
  const found = patterns.map((pattern) => amount([...text.matchAll(pattern)].at(-1)?.[1]));
  return found.filter((value) => Number.isFinite(value));
}

/** `12,345`, `1.2k` or `3m` as a number. */
function amount(text: string | undefined): number {
  if (text === undefined) return Number.NaN;
  const unit = { k: 1e3, m: 1e6 }[text.slice(-1).toLowerCase()] ?? 1;
  return Number.parseFloat(text.replaceAll(",", "")) * unit;
}
