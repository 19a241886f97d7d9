const NAME = /^[A-Za-z0-9._-]{1,100}$/;

/** What somebody typed for a repository: its `owner/name`, or why it is none. */
export type TypedRepository =
  | { readonly kind: "repository"; readonly name: string }
  | { readonly kind: "fault"; readonly because: string };

/**
 * Reads `owner/name`, the address of a repository as a browser or git shows it, or a bare name when an owner is known from before.
 */
export function readRepository(typed: string, owner: string | undefined): TypedRepository {
  const parts = typed
    .trim()
    .replace(/^(?:https?:\/\/[^/]+\/|git@[^:]+:)/i, "")
    .replace(/[?#].*$/, "")
    .replace(/\.git$/i, "")
    .split("/")
    .filter((part) => part !== "");
  if (parts.length === 1 && owner !== undefined) parts.unshift(owner);
  const [first = "", second = ""] = parts;
  if (parts.length < 2) return fault(`${typed.trim()}: give owner/name`);
  // Of a longer address, such as one of an issue, the repository is the beginning.
  const isAddress = /^https?:/i.test(typed.trim());
  if (parts.length > 2 && !isAddress) return fault(`${typed.trim()}: give owner/name`);
  for (const part of [first, second])
    if (!NAME.test(part) || part === "." || part === "..")
      return fault(`${part}: only letters, digits, '.', '_' and '-', at most 100`);
  return { kind: "repository", name: `${first}/${second}` };
}

/** Reads several, as they are pasted: separated by commas, spaces or lines. */
export function readRepositories(
  typed: string,
  owner: string | undefined,
): { readonly names: readonly string[]; readonly fault: string | undefined } {
  const names: string[] = [];
  let known = owner;
  for (const one of typed.split(/[\s,;]+/).filter((part) => part !== "")) {
    const read = readRepository(one, known);
    if (read.kind === "fault") return { names, fault: read.because };
    known ??= ownerOf(read.name);
    if (!names.some((name) => name.toLowerCase() === read.name.toLowerCase())) names.push(read.name);
  }
  return { names, fault: undefined };
}

/** The repositories after what was typed was added to them; those before a fault are added too. */
export function addTyped(
  repos: readonly string[],
  typed: string,
): { readonly repos: readonly string[]; readonly fault: string | undefined } {
  const [known] = repos;
  const { names, fault } = readRepositories(typed, known === undefined ? undefined : ownerOf(known));
  const fresh = names.filter((name) => !repos.some((one) => one.toLowerCase() === name.toLowerCase()));
  return { repos: fresh.length === 0 ? repos : [...repos, ...fresh], fault };
}

/** `acme` of `acme/shop`. */
export function ownerOf(repository: string): string {
  return repository.split("/")[0] ?? "";
}

function fault(because: string): TypedRepository {
  return { kind: "fault", because };
}
