import { type DeliveryDeps, failed, type Outcome, withinTime } from "./delivery.ts";

/** What a receiver may say no to today and yes to in a minute. */
const PASSING = new Set([408, 425, 429]);

/** Posts once to an address of the configuration and to no other: a redirect is a failure, and the answer's text is not read. */
export function post(
  url: string,
  { headers, body }: { readonly headers: Record<string, string>; readonly body: string },
  deps: DeliveryDeps,
): Promise<Outcome> {
  return withinTime(deps, async (signal) => {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      return failed("its address begins with neither https:// nor http://", true);
    const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
    await response.body?.cancel();
    const { status } = response;
    if (response.ok) return { kind: "delivered" };
    if (status >= 300 && status < 400)
      return failed(`it answered with a redirect (${status}), which is not followed`, true);
    return failed(`it answered with ${status}`, status < 500 && !PASSING.has(status));
  });
}
