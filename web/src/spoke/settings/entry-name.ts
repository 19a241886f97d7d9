const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$/;

/** Why an agent or a channel cannot have this name; undefined where it can. Pure. */
export function faultOfName(name: string, taken: readonly string[], what: string): string | undefined {
  if (taken.includes(name)) return `There is ${what === "agent" ? "an" : "a"} ${what} of this name.`;
  return NAME.test(name) ? undefined : "Only letters, digits, - and _, beginning with a letter or digit.";
}
