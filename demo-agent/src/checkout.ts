import { chmod, mkdir, readdir, readFile, realpath, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { isAbsent } from "@nest/kit";
import { harmlessEnvironment, type RunOutcome, run } from "./run.ts";

/** A path in an issue or the repository that this agent does not touch. */
export class Unacceptable extends Error {}

/** The files of a cloned repository. Names are relative, and none leads out of it. */
export class Checkout {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** The text of a file; undefined when there is none. */
  async read(file: string): Promise<string | undefined> {
    try {
      return await readFile(await this.#inside(file), "utf8");
    } catch (thrown) {
      if (isAbsent(thrown)) return undefined;
      throw thrown;
    }
  }

  /** The text of a file that has to be there. */
  async need(file: string): Promise<string> {
    const text = await this.read(file);
    if (text === undefined) throw new Unacceptable(`there is no file ${file}`);
    return text;
  }

  async write(file: string, text: string): Promise<void> {
    const path = await this.#inside(file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    if (text.startsWith("#!")) await chmod(path, 0o755);
  }

  /** Names of all files that are not git's own. */
  async files(): Promise<string[]> {
    const entries = await readdir(this.folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(this.folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
      .filter((name) => !name.startsWith(".git/") && !name.includes("node_modules/"))
      .sort();
  }

  /** Runs the repository's own tests, without anything secret in their environment. Undefined when it has none. */
  async runTests(): Promise<(RunOutcome & { readonly command: string }) | undefined> {
    const command = await this.#testCommand();
    const [program = "", ...args] = command ?? [];
    if (command === undefined) return undefined;
    const found = program === "node" ? process.execPath : program;
    const outcome = await run(found, args, { cwd: this.folder, env: harmlessEnvironment(), timeoutMs: 120_000 });
    return { ...outcome, command: command.join(" ") };
  }

  async #testCommand(): Promise<string[] | undefined> {
    const manifest = await this.read("package.json");
    const script: unknown = manifest === undefined ? undefined : JSON.parse(manifest).scripts?.test;
    if (typeof script === "string" && /^(node|sh) [\w./ -]+$/.test(script)) return script.split(/ +/);
    return (await this.read("test.sh")) === undefined ? undefined : ["sh", "test.sh"];
  }

  async #inside(file: string): Promise<string> {
    if (!/^[\w.@-]+(\/[\w.@-]+)*$/.test(file) || file.split("/").some((part) => part === ".." || part === ".git"))
      throw new Unacceptable(`${file.slice(0, 100)} is no file that I would touch`);
    const path = join(this.folder, file);
    const root = await realpath(this.folder);
    try {
      if (!(await realpath(path)).startsWith(`${root}${sep}`)) throw new Unacceptable(`${file} leads elsewhere`);
    } catch (thrown) {
      if (!isAbsent(thrown)) throw thrown;
      await this.#parentInside(path, root, file);
    }
    return path;
  }

  async #parentInside(path: string, root: string, file: string): Promise<void> {
    for (let parent = dirname(path); ; parent = dirname(parent)) {
      try {
        const real = await realpath(parent);
        if (real === root || real.startsWith(`${root}${sep}`)) return;
        throw new Unacceptable(`${file} leads elsewhere`);
      } catch (thrown) {
        if (!isAbsent(thrown)) throw thrown;
      }
    }
  }
}
