import { type Example, examplesIn } from "./examples.ts";

/** What an issue asks for, as far as this agent understands it. */
export type Wish =
  | { readonly kind: "replace"; readonly file: string; readonly from: string; readonly to: string }
  | {
      readonly kind: "constant";
      readonly name: string;
      readonly file: string;
      readonly from: string;
      readonly to: string;
    }
  | {
      readonly kind: "guard";
      readonly name: string;
      readonly file: string;
      readonly error: string;
      readonly message: string;
      readonly when: string;
      readonly examples: readonly Example[];
    }
  | {
      readonly kind: "function";
      readonly name: string;
      readonly parameters: string;
      readonly file: string;
      readonly examples: readonly Example[];
    }
  | { readonly kind: "test"; readonly name: string; readonly file: string; readonly examples: readonly Example[] }
  | { readonly kind: "repair"; readonly name?: string; readonly file: string; readonly examples: readonly Example[] }
  | { readonly kind: "environment"; readonly source: string; readonly file: string }
  | { readonly kind: "section"; readonly file: string; readonly title: string; readonly text: string }
  | { readonly kind: "remove-lines"; readonly file: string; readonly holding: string }
  | { readonly kind: "entry"; readonly file: string; readonly json: string }
  | { readonly kind: "field"; readonly file: string; readonly name: string; readonly value: string }
  | { readonly kind: "sort-entries"; readonly file: string; readonly by: string }
  | { readonly kind: "sort-list"; readonly file: string }
  | { readonly kind: "rename"; readonly from: string; readonly to: string }
  | { readonly kind: "doc-comment"; readonly name: string; readonly file: string; readonly text: string }
  | { readonly kind: "strict-shell"; readonly file: string }
  | { readonly kind: "line"; readonly file: string; readonly line: string }
  | { readonly kind: "list-line"; readonly file: string; readonly line: string }
  | { readonly kind: "file"; readonly file: string; readonly text: string };

type Reader = (body: string, prose: string) => Wish | undefined;

/** Understands an issue's body; undefined when it says nothing that this agent knows how to do. */
export function wishIn(body: string): Wish | undefined {
  const prose = body.replace(/\s+/g, " ");
  for (const read of READERS) {
    const wish = read(body, prose);
    if (wish !== undefined) return wish;
  }
  return undefined;
}

/** The sentences that this agent understands, each with what it takes from them. */
const READERS: readonly Reader[] = [
  sentence(/In `([^`]+)`, `([^`]+)` should read `([^`]+)`/, ([file, from, to]) => ({
    kind: "replace",
    file,
    from,
    to,
  })),
  sentence(/`(\w+)` in `([^`]+)` is `([^`]+)`, it should be `([^`]+)`/, ([name, file, from, to]) => ({
    kind: "constant",
    name,
    file,
    from,
    to,
  })),
  sentence(
    /`(\w+)` in `([^`]+)` should throw an? `(\w+)` with the message `([^`]+)` when `([^`]+)`/,
    ([name, file, error, message, when], body) => ({
      kind: "guard",
      name,
      file,
      error,
      message,
      when,
      examples: examplesIn(body),
    }),
  ),
  sentence(/add a function `(\w+)\(([^`]*)\)` to `([^`]+)`/, ([name, parameters, file], body) => ({
    kind: "function",
    name,
    parameters,
    file,
    examples: examplesIn(body),
  })),
  sentence(/no test for `(\w+)` in `([^`]+)`/, ([name, file], body) => ({
    kind: "test",
    name,
    file,
    examples: examplesIn(body),
  })),
  sentence(/no test for `([^`]+\.sh)`/, ([file], body) => ({
    kind: "test",
    name: file,
    file,
    examples: examplesIn(body),
  })),
  sentence(/list the environment variables that `([^`]+)` reads.* in `([^`]+)`/, ([source, file]) => ({
    kind: "environment",
    source,
    file,
  })),
  quoting(/`([^`]+)` needs a section "([^"]+)"/, ([file, title], text) => ({ kind: "section", file, title, text })),
  sentence(/remove the lines with `([^`]+)` from `([^`]+)`/, ([holding, file]) => ({
    kind: "remove-lines",
    holding,
    file,
  })),
  (body, prose) => {
    const file = /add this entry to `([^`]+)`/.exec(prose)?.[1];
    const json = /^```json\n(.*?)\n```/ms.exec(body)?.[1];
    return file === undefined || json === undefined ? undefined : { kind: "entry", file, json };
  },
  sentence(/field `(\w+)` in `([^`]+\.json)` is missing, it should be `([^`]+)`/, ([name, file, value]) => ({
    kind: "field",
    name,
    file,
    value,
  })),
  sentence(/entries of `([^`]+)` should be sorted by `(\w+)`/, ([file, by]) => ({ kind: "sort-entries", file, by })),
  sentence(/list in `([^`]+)` should be in alphabetical order/, ([file]) => ({ kind: "sort-list", file })),
  sentence(/`(\w+)` should be renamed to `(\w+)`/, ([from, to]) => ({ kind: "rename", from, to })),
  quoting(/function `(\w+)` in `([^`]+)` needs a doc comment/, ([name, file], text) => ({
    kind: "doc-comment",
    name,
    file,
    text,
  })),
  sentence(/`([^`]+)` should stop at the first failure: it lacks `set -eu`/, ([file]) => ({
    kind: "strict-shell",
    file,
  })),
  sentence(/add the line `([^`]+)` to `([^`]+)`/, ([line, file]) => ({ kind: "line", line, file })),
  quoting(/add this line to the list in `([^`]+)`/, ([file], line) => ({ kind: "list-line", file, line })),
  quoting(/add a file `([^`]+)`/, ([file], text) => ({ kind: "file", file, text })),
  sentence(/`([^`]+\.sh)` should do this/, ([file], body) => ({ kind: "repair", file, examples: examplesIn(body) })),
  (body, prose) => {
    const [, name, file] = /`(\w+)` in `([^`]+\.js)`/.exec(prose) ?? [];
    const examples = examplesIn(body);
    if (name === undefined || file === undefined || examples.length === 0) return undefined;
    return { kind: "repair", name, file, examples };
  },
];

/** What a pattern caught. Every group of the patterns above catches something, or the pattern does not match. */
type Caught = readonly [string, string, string, string, string];

function sentence(pattern: RegExp, make: (caught: Caught, body: string) => Wish): Reader {
  return (body, prose) => {
    const match = pattern.exec(prose);
    if (match === null) return undefined;
    const [, first = "", second = "", third = "", fourth = "", fifth = ""] = match;
    return make([first, second, third, fourth, fifth], body);
  };
}

/** A sentence that is followed by the wanted text, quoted with `> `. */
function quoting(pattern: RegExp, make: (caught: Caught, text: string) => Wish): Reader {
  return (body, prose) => {
    const text = quoteIn(body);
    return text === undefined ? undefined : sentence(pattern, (caught) => make(caught, text))(body, prose);
  };
}

function quoteIn(body: string): string | undefined {
  const lines = body.split("\n").filter((line) => line.startsWith(">"));
  return lines.length === 0 ? undefined : lines.map((line) => line.replace(/^> ?/, "")).join("\n");
}
