import { createServer } from "node:net";

/** The usual port when it is free, any free one when it is not; a port that was asked for is taken as it is. */
export async function usable(asked: number | undefined, usual: number): Promise<number> {
  if (asked !== undefined) return asked;
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(0));
    probe.listen(usual, "127.0.0.1", () => probe.close(() => resolve(usual)));
  });
}
