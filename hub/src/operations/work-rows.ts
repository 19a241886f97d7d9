import { type Lease, type Ledger, leaseState } from "@nest/dispatch";
import type { contribute } from "@nest/protocol";
import type { Visibility } from "./visibility.ts";

/** A lease's row and what it was made from, beside the lease itself. */
interface KnownRow {
  readonly note: string | undefined;
  readonly login: string;
  readonly row: contribute.FleetWork;
}

/** Tasks under lease as people see them. */
export class WorkRows {
  readonly #ledger: Ledger;
  /** A lease that changes is another object: rows of those that are the same stay the same objects. */
  readonly #whole = new WeakMap<Lease, KnownRow>();
  readonly #hidden = new WeakMap<Lease, KnownRow>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** The row of a lease. `note`: what its relay said last of its work. */
  of(lease: Lease, note: string | undefined, visibility: Visibility): contribute.FleetWork {
    const isSeen = visibility(lease.repo);
    const rows = isSeen ? this.#whole : this.#hidden;
    const login = this.#ledger.contributor(lease.contributorId)?.login ?? "";
    const known = rows.get(lease);
    if (known !== undefined && known.note === note && known.login === login) return known.row;
    const row = rowOf(lease, login, { isSeen, note });
    rows.set(lease, { note, login, row });
    return row;
  }
}

/** Shown instead of a private repository's name and an issue's title. */
const HIDDEN_REPO = "private";
const HIDDEN_TITLE = "an issue of a private repository";

function rowOf(
  lease: Lease,
  login: string,
  { isSeen, note }: { readonly isSeen: boolean; readonly note: string | undefined },
): contribute.FleetWork {
  const state = leaseState(lease);
  const { contributorId, identity } = lease;
  const row: contribute.FleetWork = {
    task_id: lease.taskId,
    task_gen: lease.gen,
    kind: "issue",
    repo: isSeen ? lease.repo : HIDDEN_REPO,
    number: isSeen ? lease.number : 0,
    title: isSeen ? lease.title : HIDDEN_TITLE,
    url: isSeen ? lease.url : "",
    contributor_id: contributorId,
    github_username: login,
    status: state === "working" ? "in-progress" : state,
    assigned_at: new Date(lease.assignedAt).toISOString(),
    expires_at: new Date(lease.expiresAt).toISOString(),
  };
  if (!isSeen) row.private = true;
  if (identity !== contributorId) row.session = identity.slice(contributorId.length + 1);
  if (note !== undefined && isSeen) row.note = note;
  return row;
}
