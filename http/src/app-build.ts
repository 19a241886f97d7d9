import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isAbsent } from "@nest/kit";
import { z } from "zod";

/** The build's own list of what it made (`.vite/manifest.json`): the entries, and the styles each needs. */
const Manifest = z.record(
  z.string(),
  z.object({
    file: z.string(),
    name: z.string().optional(),
    isEntry: z.boolean().optional(),
    css: z.array(z.string()).default([]),
    /** Names of the files that it loads at once. */
    imports: z.array(z.string()).default([]),
  }),
);
type Manifest = z.infer<typeof Manifest>;

/** What a page of the app loads, as paths below the app's folder. */
export interface AppEntry {
  readonly script: string;
  /** Scripts that it imports: named in the page, they are fetched beside it and not after it. */
  readonly imports: readonly string[];
  readonly styles: readonly string[];
  /** Styles that the page's own script asks for when it comes. */
  readonly laterStyles: readonly string[];
}

/** Names as the build gives them: with a hash of the content, so that they may be kept for ever. */
export const FILE_NAME = /^[A-Za-z0-9_.-]+-[A-Za-z0-9_-]{8}\.(?:js|css|woff2|svg)$/;

/** The built browser app in a folder. Read at each use, so that a running hub serves a new build without a restart. */
export class AppBuild {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * What a page with this entry loads; undefined when there is no build, or one without this entry. `page`: the source of the page that
   * the entry will import, as the build names it (`src/hub/tasks/task.tsx`).
   */
  async entry(name: string, page?: string): Promise<AppEntry | undefined> {
    const text = await this.#read(join(".vite", "manifest.json"));
    if (text === undefined) return undefined;
    const manifest = Manifest.safeParse(jsonOf(text));
    if (!manifest.success) return undefined;
    const found = Object.entries(manifest.data).find(([, one]) => one.isEntry === true && one.name === name);
    if (found === undefined) return undefined;
    const [key, { file: script }] = found;
    const seen = new Set<string>();
    const files = filesOf(manifest.data, key, seen);
    const later = page === undefined ? [] : filesOf(manifest.data, page, seen);
    // Shared styles come first, so that an entry's own styles override them.
    const styles = [...new Set(files.flatMap(({ css }) => css))];
    return {
      script,
      imports: [...files, ...later].flatMap(({ file }) => (file === script ? [] : [file])),
      styles,
      laterStyles: [...new Set(later.flatMap(({ css }) => css))].filter((file) => !styles.includes(file)),
    };
  }

  async #read(path: string): Promise<Buffer | undefined> {
    try {
      return await readFile(join(this.#folder, path));
    } catch (thrown) {
      if (isAbsent(thrown)) return undefined;
      throw thrown;
    }
  }
}

/** A file of the build after all that it imports, directly or not, each once. */
function filesOf(manifest: Manifest, key: string, seen: Set<string>): Manifest[string][] {
  const file = manifest[key];
  if (file === undefined || seen.has(key)) return [];
  seen.add(key);
  return [...file.imports.flatMap((one) => filesOf(manifest, one, seen)), file];
}

function jsonOf(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString("utf8"));
  } catch {
    return undefined;
  }
}
