import type { Claim, QueueIssue } from "./entry.ts";

/** A complete reading of one repository. */
export interface Scan {
  readonly repo: string;
  readonly issues: readonly QueueIssue[];
  readonly claims: ReadonlyMap<string, Claim>;
}

/** Keeps what was read of the code host beyond this process's life, or for its replicas. */
export interface ScanStore {
  /** Every claim kept, by repository and issue. */
  claims(): Promise<Map<string, Map<string, Claim>>>;
  /** Takes over a complete scan in place of the last one of its repository; durable when it resolves. */
  save(scan: Scan): Promise<void>;
  /** A repository could not be read; what was known of it stays. */
  failed(repo: string, because: string): Promise<void>;
  /** A repository is no longer monitored. */
  drop(repo: string): Promise<void>;
}

/** What is shared of a repository. */
export interface SharedScan {
  readonly state: "ready" | "scanning" | "failing";
  readonly error: string | undefined;
  readonly issues: readonly QueueIssue[];
  readonly claims: ReadonlyMap<string, Claim>;
}

/** A store from which the replicas that do not read the code host take over what the leader has read. */
export interface SharedScanStore extends ScanStore {
  /** What is shared may be old: whoever comes now waits until it was read anew. */
  begin(): Promise<void>;
  /** Repositories that were shared. */
  repositories(): Promise<string[]>;
  /** What is shared of a repository now; an issue that has not changed since the last call is the same object. */
  read(repo: string): Promise<SharedScan | undefined>;
}

/** Claims by repository and issue, of rows of the table of claims. */
export function claimsOfRows(rows: readonly Readonly<Record<string, unknown>>[]): Map<string, Map<string, Claim>> {
  const byRepo = new Map<string, Map<string, Claim>>();
  for (const row of rows) {
    const repo = String(row.repo);
    const claims = byRepo.get(repo) ?? new Map<string, Claim>();
    byRepo.set(repo, claims);
    claims.set(String(row.item_key), { pullRequestUrl: String(row.pull_request_url), until: Number(row.until) });
  }
  return byRepo;
}
