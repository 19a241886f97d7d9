/** The id of a replica's `nth` socket: never used again, and it says where the socket is. */
export function connectionId(replica: string, nth: number): string {
  return `conn-${replica}-${nth}`;
}

/** The replica at which a socket is. */
export function replicaOf(connection: string): string {
  return connection.split("-")[1] ?? "";
}

/** Which machine of a contributor a relay is: the contributor's id, with `#` and the session name where it has one. */
export function identityOf(contributorId: string, session: string | undefined): string {
  return session === undefined ? contributorId : `${contributorId}#${session}`;
}
