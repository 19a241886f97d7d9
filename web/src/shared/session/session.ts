import { access } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { call } from "../call/call.ts";
import { ANSWER_MS, onceMore } from "../call/queries.ts";

/** Who is signed in; undefined until the hub has answered. */
export function useWho(): access.AuthUser | undefined {
  return useWhoAsked().data;
}

/** Who is signed in, or why that could not be learned: the whole page waits for it, so it says so within half a minute. */
export function useWhoAsked() {
  return useQuery({
    queryKey: ["who"],
    queryFn: async ({ signal }) => (await call(access.user, { signal, deadlineMs: ANSWER_MS })).value,
    staleTime: 60_000,
    ...onceMore,
  });
}

/** Whether the signed-in person is an admin of the hub. */
export function useIsAdmin(): boolean {
  return useWho()?.hub_admin === true;
}

/** The address of the sign-in page, which returns to this page afterwards. */
export function signInAddress(): string {
  return `/login?redirect=${encodeURIComponent(location.pathname + location.search)}`;
}

/** Ends the session and reloads the page. */
export async function signOut(): Promise<void> {
  await call(access.logout);
  location.reload();
}
