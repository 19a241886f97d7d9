import axe from "axe-core";
import type { Page } from "playwright-core";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

/** What makes a page hard to use for people with a disability, as far as a program can tell; only what is serious or critical. */
export function seriousViolations(page: Page): Promise<string[]> {
  return violationsIn(page, ["serious", "critical"]);
}

/** The same, with what is moderate: parts of a page that stand in no landmark, landmarks of one name. */
export function allViolations(page: Page): Promise<string[]> {
  return violationsIn(page, ["moderate", "serious", "critical"]);
}

async function violationsIn(page: Page, impacts: readonly string[]): Promise<string[]> {
  await page.evaluate(axe.source);
  const run = `axe.run(document, { runOnly: ${JSON.stringify(RULES)}, resultTypes: ["violations"] })`;
  const { violations } = await page.evaluate<{ violations: readonly Violation[] }>(run);
  return violations
    .filter(({ impact }) => impact !== null && impacts.includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
}
