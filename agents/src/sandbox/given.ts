/**
 * Selects the part of a CLI's own file that a sandboxed run is given; undefined when there is none. These are a person's own
 * files, so what cannot be read is left out and is no failure.
 */
export type Given = (text: string) => string | undefined;

/** The members of those names of a JSON object. Lines that are comments, as some CLIs write them, are passed over. */
export function jsonMembers(...names: readonly string[]): Given {
  return (text) => {
    const object = jsonObject(text);
    if (object === undefined) return undefined;
    const members = names.flatMap((name) => (Object.hasOwn(object, name) ? [[name, object[name]] as const] : []));
    return members.length === 0 ? undefined : `${JSON.stringify(Object.fromEntries(members), undefined, 2)}\n`;
  };
}

/** The lines before the first table whose key `names` knows, and the tables whose name `tables` knows, of a TOML document. */
export function tomlTables({ names, tables }: { readonly names: RegExp; readonly tables: RegExp }): Given {
  return (text) => {
    let table: string | undefined;
    const kept = text.split(/\r?\n/).filter((line) => {
      const header = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$/.exec(line)?.[1];
      if (header !== undefined) table = header.replaceAll('"', "");
      if (table !== undefined) return tables.test(table);
      const name = /^\s*([A-Za-z0-9_-]+)\s*=/.exec(line)?.[1];
      return name !== undefined && names.test(name);
    });
    return kept.length === 0 ? undefined : `${kept.join("\n")}\n`;
  };
}

/** The top-level lines `NAME: value` of a YAML document whose name fits; values that go on below are left out. */
export function yamlScalars(names: RegExp): Given {
  return (text) => {
    const kept = text.split(/\r?\n/).filter((line) => {
      const [, name, value] = /^([A-Za-z0-9_]+):[ \t]+(\S.*)$/.exec(line) ?? [];
      return name !== undefined && names.test(name) && !/^[|>&*[{]/.test(value ?? "");
    });
    return kept.length === 0 ? undefined : `${kept.join("\n")}\n`;
  };
}

/** The object that a JSON text holds; undefined when it holds anything else. */
export function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^(?:\s*\/\/.*\n)+/, ""));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
