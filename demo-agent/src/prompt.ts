/** The issue that a prompt is about. */
export interface IssueName {
  /** `owner/name`. */
  readonly repo: string;
  readonly number: number;
}

/** Reads `Issue: owner/name#N`, or else the first address of an issue; undefined when there is neither. */
export function issueInPrompt(prompt: string): IssueName | undefined {
  const line = /\bIssue:\s*([\w.-]{1,100}\/[\w.-]{1,100})#(\d{1,9})\b/i.exec(prompt);
  const address = /https?:\/\/[^\s/]+(?:\/[\w.-]+)*?\/([\w.-]{1,100}\/[\w.-]{1,100})\/issues\/(\d{1,9})\b/.exec(prompt);
  const [, repo, digits] = line ?? address ?? [];
  return repo === undefined ? undefined : { repo, number: Number(digits) };
}
