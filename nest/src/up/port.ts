import { createServer } from "node:net";

/** The usual port if it is free, else any free one; a port that was asked for is used as it is. */
export async function usable(asked: number | undefined, usual: number): Promise<number> {
  if (asked !== undefined) return asked;
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(0));
    probe.listen(usual, "127.0.0.1", () => probe.close(() => resolve(usual)));
  });
}
