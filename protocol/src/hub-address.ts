/**
 * The WebSocket address that a configured hub address stands for: a bare address means `/contribute`, a path ending in
 * `/contribute` maps to `/api/contribute/ws`, any other path is kept. `http` is read as `ws`, `https` as `wss`.
 *
 * @throws TypeError when the text is no URL of those schemes.
 */
export function webSocketAddress(configured: string): string {
  const url = new URL(configured);
  if (url.protocol === "http:") url.protocol = "ws:";
  if (url.protocol === "https:") url.protocol = "wss:";
  if (url.protocol !== "ws:" && url.protocol !== "wss:")
    throw new TypeError("a hub address begins with wss:// or ws://");
  if (url.pathname === "/" || url.pathname === "") url.pathname = "/contribute";
  url.pathname = url.pathname.replace(/\/contribute\/?$/, "/api/contribute/ws");
  url.hash = "";
  return url.toString();
}

/** The HTTP base of the same hub, without a trailing slash. */
export function httpBase(configured: string): string {
  const url = new URL(webSocketAddress(configured));
  url.protocol = url.protocol === "wss:" ? "https:" : "http:";
  url.pathname = url.pathname.replace(/\/api\/contribute\/ws$/, "");
  url.search = "";
  return url.toString().replace(/\/$/, "");
}
