import { nestSignIn } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import type { z } from "zod";
import { CallError, call } from "../../shared/call/call.ts";
import { ANSWER_MS, onceMore } from "../../shared/call/queries.ts";

/** Who looks at this nest, and what they may do. */
export type Visitor = z.infer<typeof nestSignIn.signInStatus.reply>;

/** What can be done here; the server checks every request itself. */
export type Right = keyof Visitor["may"];

/** A nest that cannot say who asks still answers for itself: nothing is hidden, and it refuses what it has to. */
const NOT_SAID: Visitor = { logged_in: false, by: "none", may: { read: true, operate: true, configure: true } };

/** Who is signed in; undefined until the nest has answered. */
export function useVisitor(): Visitor | undefined {
  return useVisitorAsked().data;
}

/** Who is signed in, or why that could not be learned: every page waits for it, so it says so within half a minute. */
export function useVisitorAsked() {
  return useQuery({
    queryKey: ["visitor"],
    queryFn: async ({ signal }) => {
      try {
        return (await call(nestSignIn.signInStatus, { signal, deadlineMs: ANSWER_MS })).value;
      } catch (thrown) {
        if (thrown instanceof CallError && thrown.status === 404) return NOT_SAID;
        throw thrown;
      }
    },
    staleTime: 60_000,
    ...onceMore,
  });
}

const whoMay: Readonly<Record<Right, string>> = {
  read: "Only people with a role on this nest see this.",
  operate: "Only people with the role read-write or more may do this.",
  configure: "Only the owner of this nest may do this.",
};

/** Why the visitor may not; undefined where they may. Until it is known who asks, nobody may. */
export function useRefusal(right: Right): string | undefined {
  const visitor = useVisitor();
  if (visitor === undefined) return "It is not known yet who you are.";
  return visitor.may[right] ? undefined : whoMay[right];
}

/** Ends the session and reloads the page. */
export async function signOut(): Promise<void> {
  await call(nestSignIn.logout);
  location.reload();
}
