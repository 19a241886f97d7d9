import { spawn } from "node:child_process";
import { join } from "node:path";

/** How a git command ended. */
interface GitOutcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const ENVIRONMENT = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  LC_ALL: "C",
} as const;

export interface Author {
  readonly login: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The bare repositories under one folder. Branch heads are remembered until a push or merge moves them. */
export class GitRepositories {
  readonly root: string;
  readonly #heads = new Map<string, Promise<ReadonlyMap<string, string>>>();

  constructor(root: string) {
    this.root = root;
  }

  folder(repo: string): string {
    return join(this.root, `${repo}.git`);
  }

  /** Makes a repository whose branch `main` has one commit with these files. */
  async create(repo: string, files: Readonly<Record<string, string>>, author: Author): Promise<void> {
    await this.#git(undefined, ["init", "--quiet", "--bare", "--initial-branch=main", this.folder(repo)]);
    const lines: Buffer[] = [
      Buffer.from(`commit refs/heads/main\ncommitter ${person(author)}\ndata 14\nInitial commit\n`),
    ];
    for (const [path, content] of Object.entries(files)) {
      const bytes = Buffer.from(content);
      const mode = path.endsWith(".sh") && content.startsWith("#!") ? "100755" : "100644";
      lines.push(Buffer.from(`M ${mode} inline ${path}\ndata ${bytes.length}\n`), bytes, Buffer.from("\n"));
    }
    await this.#git(repo, ["fast-import", "--quiet"], Buffer.concat(lines));
    this.moved(repo);
  }

  /** Commit by branch name. */
  heads(repo: string): Promise<ReadonlyMap<string, string>> {
    const kept = this.#heads.get(repo);
    if (kept !== undefined) return kept;
    const reading = this.#git(repo, ["for-each-ref", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads"]).then(
      (out) => new Map(out.split("\n").flatMap((line) => (line === "" ? [] : [[line.slice(41), line.slice(0, 40)]]))),
    );
    this.#heads.set(repo, reading);
    reading.catch(() => this.#heads.delete(repo));
    return reading;
  }

  /** Branches may have moved: what is remembered is read anew. */
  moved(repo: string): void {
    this.#heads.delete(repo);
  }

  /** The full commit that a branch or (abbreviated) commit names; undefined when there is none. */
  async resolve(repo: string, ref: string): Promise<string | undefined> {
    const head = (await this.heads(repo)).get(ref);
    if (head !== undefined) return head;
    if (!/^[0-9a-f]{7,40}$/.test(ref)) return undefined;
    const { code, out } = await this.#run(repo, ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]);
    return code === 0 ? out.trim() : undefined;
  }

  /** The change from where `head` left `base`, as a unified diff. */
  diff(repo: string, base: string, head: string): Promise<string> {
    return this.#git(repo, ["diff", "--no-color", `${base}...${head}`, "--"]);
  }

  /** Added and deleted lines by path. */
  async changedFiles(
    repo: string,
    base: string,
    head: string,
  ): Promise<{ path: string; added: number; deleted: number }[]> {
    const out = await this.#git(repo, ["diff", "--numstat", "--no-renames", "-z", `${base}...${head}`, "--"]);
    return out.split("\0").flatMap((line) => {
      const [added, deleted, path] = line.split("\t");
      return path === undefined ? [] : [{ path, added: Number(added) || 0, deleted: Number(deleted) || 0 }];
    });
  }

  /** Commits of `head` that `base` lacks, oldest first. */
  async commits(repo: string, base: string, head: string): Promise<{ sha: string; subject: string; author: string }[]> {
    const out = await this.#git(repo, ["log", "--reverse", "--format=%H%x1f%an%x1f%s", `${base}..${head}`, "--"]);
    return out.split("\n").flatMap((line) => {
      const [sha, author, subject] = line.split("\u001f");
      return sha === undefined || subject === undefined ? [] : [{ sha, author: author ?? "", subject }];
    });
  }

  /** Names of the files on a branch, with their content where asked for one. */
  async files(repo: string, ref: string): Promise<string[]> {
    const out = await this.#git(repo, ["ls-tree", "-r", "-z", "--name-only", ref, "--"]);
    return out.split("\0").filter((name) => name !== "");
  }

  /** The text of a file on a branch or commit; undefined when it is not there. */
  async file(repo: string, ref: string, path: string): Promise<string | undefined> {
    const { code, out } = await this.#run(repo, ["cat-file", "blob", `${ref}:${path}`]);
    return code === 0 ? out : undefined;
  }

  /** Whether `head` merges into `base` without a conflict; the tree they make when it does. */
  async mergedTree(repo: string, base: string, head: string): Promise<string | undefined> {
    const { code, out } = await this.#run(repo, ["merge-tree", "--write-tree", base, head]);
    return code === 0 ? out.split("\n")[0] : undefined;
  }

  /** Puts a commit of this tree on top of a branch; undefined when the branch has moved away from `base` meanwhile. */
  async commitOnto(
    repo: string,
    commit: { branch: string; base: string; tree: string; parents: readonly string[]; message: string; author: Author },
  ): Promise<string | undefined> {
    const who = person(commit.author);
    const date = who.slice(who.indexOf(">") + 2);
    const parents = commit.parents.flatMap((parent) => ["-p", parent]);
    const sha = (
      await this.#git(repo, ["commit-tree", commit.tree, ...parents, "-m", commit.message], undefined, {
        GIT_AUTHOR_NAME: commit.author.login,
        GIT_AUTHOR_EMAIL: `${commit.author.login}@users.example`,
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_NAME: commit.author.login,
        GIT_COMMITTER_EMAIL: `${commit.author.login}@users.example`,
        GIT_COMMITTER_DATE: date,
      })
    ).trim();
    const { code } = await this.#run(repo, ["update-ref", `refs/heads/${commit.branch}`, sha, commit.base]);
    this.moved(repo);
    return code === 0 ? sha : undefined;
  }

  /** Removes a branch. */
  async deleteBranch(repo: string, branch: string): Promise<void> {
    await this.#git(repo, ["update-ref", "-d", `refs/heads/${branch}`]);
    this.moved(repo);
  }

  async #git(
    repo: string | undefined,
    args: readonly string[],
    input?: Buffer,
    environment?: Readonly<Record<string, string>>,
  ): Promise<string> {
    const outcome = await this.#run(repo, args, input, environment);
    if (outcome.code !== 0) throw new Error(`git ${args[0]} failed (${outcome.code}): ${outcome.err.slice(0, 500)}`);
    return outcome.out;
  }

  #run(
    repo: string | undefined,
    args: readonly string[],
    input?: Buffer,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<GitOutcome> {
    const where = repo === undefined ? [] : ["--git-dir", this.folder(repo)];
    return new Promise((resolve, reject) => {
      const child = spawn("git", [...where, ...args], { env: { ...process.env, ...ENVIRONMENT, ...environment } });
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
      child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
      child.on("error", reject);
      child.on("close", (code) =>
        resolve({ code: code ?? 1, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() }),
      );
      child.stdin.on("error", () => {});
      child.stdin.end(input);
    });
  }
}

function person(author: Author): string {
  return `${author.login} <${author.login}@users.example> ${Math.floor(author.at / 1000)} +0000`;
}
