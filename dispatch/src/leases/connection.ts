/** Makes the id of a replica's `nth` connection. It is never reused, and it names the replica. */
export function connectionId(replica: string, nth: number): string {
  return `conn-${replica}-${nth}`;
}

/** The replica that has a connection. */
export function replicaOf(connection: string): string {
  return connection.split("-")[1] ?? "";
}

/** Identifies one machine of a contributor: the contributor's id, followed by `#` and the session name if there is one. */
export function identityOf(contributorId: string, session: string | undefined): string {
  return session === undefined ? contributorId : `${contributorId}#${session}`;
}
