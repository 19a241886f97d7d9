import { useSyncExternalStore } from "react";

// Where in the app one is: the browser's own address, changed without loading the page again.

/** Asked before one leaves; answers whether to go now, or calls `go` itself once the person has said so. */
export type Guard = (go: () => void) => boolean;

const watchers = new Set<() => void>();
let guard: Guard | undefined;
let here = addressNow();

function addressNow(): string {
  return typeof location === "undefined" ? "/" : location.pathname + location.search;
}

function arrived(): void {
  here = addressNow();
  for (const watcher of watchers) watcher();
}

if (typeof window !== "undefined") {
  window.addEventListener("popstate", () => {
    const wanted = addressNow();
    if (guard === undefined || wanted === here) return arrived();
    // Back was pressed: stay until the person has decided, then go where they wanted.
    history.pushState(undefined, "", here);
    if (guard(() => enter(wanted))) enter(wanted);
  });
}

function enter(address: string, replace = false): void {
  history[replace ? "replaceState" : "pushState"](undefined, "", address);
  arrived();
}

/** Goes to another address of the app, unless the page in hand asks first. */
export function goTo(address: string): void {
  if (address === here) return;
  const leaves = new URL(address, location.href).pathname !== location.pathname;
  if (leaves && guard !== undefined && !guard(() => enter(address))) return;
  enter(address);
  if (leaves) window.scrollTo(0, 0);
}

/** Says in the address what is shown, without a step in the history. */
export function showInAddress(search: Readonly<Record<string, string | undefined>>): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined || value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  enter(location.pathname + (text === "" ? "" : `?${text}`), true);
}

/** Has leaving asked about until the returned function is called. */
export function guardLeaving(ask: Guard): () => void {
  guard = ask;
  const stay = (event: BeforeUnloadEvent) => event.preventDefault();
  window.addEventListener("beforeunload", stay);
  return () => {
    if (guard === ask) guard = undefined;
    window.removeEventListener("beforeunload", stay);
  };
}

/** The path and the query where one is. */
export function useAddress(): { readonly path: string; readonly query: URLSearchParams } {
  const address = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => here,
  );
  const { pathname, searchParams } = new URL(address, "http://hub");
  return { path: pathname.replace(/(.)\/$/, "$1"), query: searchParams };
}
