import type { ConnectionState } from "./connection.ts";

/** What stands around the terminal: whose it is, whether one may type, and how the connection stands. */
export interface Frame {
  readonly screen: HTMLElement;
  readonly retry: HTMLButtonElement;
  setReadOnly(isReadOnly: boolean): void;
  show(state: ConnectionState): void;
  /** Says, of a terminal that is connected, whether anything is on it. */
  setBlank(isBlank: boolean): void;
}

const refusals = {
  "signed-out": "You are signed out.",
  forbidden: "You may not see this terminal.",
  gone: "This nest has no such agent.",
} as const;

/** Builds the page around the terminal of an agent. */
export function buildFrame(agent: string): Frame {
  document.title = `${agent} · Terminal`;
  const app = document.getElementById("app");
  if (app === null) throw new Error("the page has no place for the terminal");
  const back = element("a", "back", "Terminals");
  back.href = "/terminal/";
  const heading = element("h1", "", agent);
  const access = element("span", "access");
  access.hidden = true;
  const status = element("span", "status");
  status.setAttribute("role", "status");
  const retry = element("button", "", "Try now");
  retry.type = "button";
  retry.hidden = true;
  const signIn = element("a", "", "Sign in");
  signIn.href = `/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`;
  signIn.hidden = true;
  const bar = element("div", "terminal-bar");
  bar.append(back, heading, access, status, retry, signIn);
  const screen = element("div", "screen");
  const box = element("div", "terminal-page");
  box.append(screen);
  const main = element("main", "terminal-whole");
  main.append(bar, box);
  // Behind the bar of the nest's pages, which the server made.
  app.append(main);
  return {
    screen,
    retry,
    setReadOnly(isReadOnly) {
      access.hidden = !isReadOnly;
      access.textContent = "You look on";
      access.title = "Only an owner of this nest can type here";
    },
    show(state) {
      app.dataset.state = state.kind;
      retry.hidden = state.kind !== "lost";
      signIn.hidden = state.kind !== "refused" || state.because !== "signed-out";
      status.textContent = wordsFor(state);
    },
    setBlank(isBlank) {
      if (app.dataset.state === "open")
        status.textContent = isBlank ? "Connected. The agent shows nothing until it works." : "Connected";
    },
  };
}

function wordsFor(state: ConnectionState): string {
  switch (state.kind) {
    case "connecting":
      return "Connecting…";
    case "open":
      return "Connected";
    case "lost":
      return `Connection lost. Next try at ${new Date(state.retryAt).toLocaleTimeString()}`;
    case "refused":
      return refusals[state.because];
  }
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
  text = "",
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  if (className !== "") made.className = className;
  made.textContent = text;
  return made;
}
