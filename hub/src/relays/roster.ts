import type { Session } from "./session.ts";

/** The authenticated connections of this process, by id and by contributor. */
export class Roster {
  readonly #byConnection = new Map<string, Session>();
  readonly #byContributor = new Map<string, Set<Session>>();

  get size(): number {
    return this.#byConnection.size;
  }

  all(): IterableIterator<Session> {
    return this.#byConnection.values();
  }

  /** The contributors who have a connection. */
  contributorIds(): Iterable<string> {
    return this.#byContributor.keys();
  }

  get contributors(): number {
    return this.#byContributor.size;
  }

  get(connection: string): Session | undefined {
    return this.#byConnection.get(connection);
  }

  /** The connections of a contributor, oldest first. */
  of(contributorId: string): Session[] {
    return [...(this.#byContributor.get(contributorId) ?? [])];
  }

  /** The connections with this identity (contributor and session name). */
  ofIdentity(identity: string): Session[] {
    const contributorId = identity.split("#", 1)[0] ?? identity;
    return this.of(contributorId).filter(({ relayIdentity }) => relayIdentity?.identity === identity);
  }

  /** Adds an authenticated connection. */
  add(session: Session, contributorId: string): void {
    this.#byConnection.set(session.connection, session);
    const siblings = this.#byContributor.get(contributorId);
    if (siblings === undefined) this.#byContributor.set(contributorId, new Set([session]));
    else siblings.add(session);
  }

  /** Removes a connection. False when it was unknown or already removed. */
  remove(session: Session): boolean {
    const { relayIdentity } = session;
    if (relayIdentity === undefined || !this.#byConnection.delete(relayIdentity.connection)) return false;
    const siblings = this.#byContributor.get(relayIdentity.contributorId);
    siblings?.delete(session);
    if (siblings?.size === 0) this.#byContributor.delete(relayIdentity.contributorId);
    return true;
  }
}
