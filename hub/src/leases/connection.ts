/** The id of a replica's `nth` socket: never used again, and it says where the socket is. */
export function connectionId(replica: string, nth: number): string {
  return `conn-${replica}-${nth}`;
}

/** The replica at which a socket is. */
export function replicaOf(connection: string): string {
  return connection.split("-")[1] ?? "";
}
