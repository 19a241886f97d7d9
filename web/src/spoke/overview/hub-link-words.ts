/** The link to the hub as the nest tells it. */
export interface HubLink {
  readonly last_accepted_at?: string | undefined;
  readonly last_outcome?: string | undefined;
}

const outcomes: Readonly<Record<string, string>> = {
  accepted: "the hub hears this nest",
  rejected: "the hub refuses its heartbeats",
  unreachable: "the hub cannot be reached",
};

/** How the last heartbeat ended, in words. A nest that says more than a name is shown as it says it. */
export function hubLinkWords({ last_outcome: outcome }: HubLink): { readonly words: string; readonly isGood: boolean } {
  if (outcome === undefined) return { words: "no heartbeat was sent yet", isGood: false };
  return { words: outcomes[outcome] ?? outcome, isGood: outcome === "accepted" };
}
