import { access } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { call } from "../call/call.ts";

/** Who looks at the page, and how one can sign in here. Undefined until the hub has said so. */
export function useWho(): access.AuthUser | undefined {
  const { data } = useQuery({
    queryKey: ["who"],
    queryFn: async ({ signal }) => (await call(access.user, { signal })).value,
    staleTime: 60_000,
  });
  return data;
}

/** Whether whoever looks may change things. */
export function useIsAdmin(): boolean {
  return useWho()?.hub_admin === true;
}

/** Leads to the sign-in, and back to where one was. */
export function signInAddress(): string {
  return `/login?redirect=${encodeURIComponent(location.pathname + location.search)}`;
}

/** Ends the session and shows the page as anybody sees it. */
export async function signOut(): Promise<void> {
  await call(access.logout);
  location.reload();
}
