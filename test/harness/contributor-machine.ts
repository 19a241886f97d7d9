import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { systemClock } from "@nest/kit";
import { DEMO_CONTRIBUTORS, DEMO_HUB_TOKEN, demoSeed, startLocalCodeHost } from "@nest/local-codehost";
import { FolderHere } from "./folder-here.ts";
import { HubProcess } from "./hub-process.ts";
import { ProcessHere } from "./process-here.ts";

const [contributor] = DEMO_CONTRIBUTORS;

/** A contributor's machine: a home of its own, a hub that wants proof of the login, an agent that says its version. */
export class ContributorMachine implements AsyncDisposable {
  readonly folder: FolderHere;
  readonly hub: HubProcess;
  readonly environment: Record<string, string>;
  readonly #stop: () => Promise<void>;

  private constructor(
    folder: FolderHere,
    hub: HubProcess,
    environment: Record<string, string>,
    stop: () => Promise<void>,
  ) {
    this.folder = folder;
    this.hub = hub;
    this.environment = environment;
    this.#stop = stop;
  }

  static async make(): Promise<ContributorMachine> {
    const folder = await FolderHere.make("contribute");
    const codeHost = await startLocalCodeHost({
      dataDir: folder.in("codehost"),
      seed: await demoSeed(),
      clock: systemClock(),
    });
    const hub = await HubProcess.start({
      folder: folder.in("hub"),
      apiUrl: codeHost.apiUrl,
      repos: ["meadow/tide-clock"],
      token: DEMO_HUB_TOKEN,
      contribute: { open_registration: false },
    });
    await mkdir(folder.in("bin"));
    await script(folder.in("bin", "agent"), 'echo "agent 1.2.3"');
    await script(
      folder.in("bin", "docker"),
      `printf '%s\\n' "$@" > ${folder.in("docker-arguments")}; cat > ${folder.in("docker-input")}`,
    );
    const environment = {
      PATH: `${folder.in("bin")}:${process.env.PATH ?? ""}`,
      HOME: folder.in("home"),
      NEST_HUB: `${hub.url.replace("http", "ws")}/contribute`,
      NEST_AGENT_COMMAND: "agent",
      NEST_GITHUB_API_URL: codeHost.apiUrl,
      GH_TOKEN: contributor.token,
    };
    return new ContributorMachine(folder, hub, environment, async () => {
      await hub[Symbol.asyncDispose]();
      await codeHost.close();
    });
  }

  async run(command: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) {
    await using running = new ProcessHere(command, args, { ...this.environment, ...more });
    const { code } = await running.ended;
    return { code, out: running.output, said: running.said };
  }

  get envFile(): string {
    return this.folder.in("home", ".config/nest/contributor.env");
  }

  async kept(): Promise<Record<string, string>> {
    const lines = (await readFile(this.envFile, "utf8")).split("\n").filter((line) => line.includes("="));
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
    await this.folder[Symbol.asyncDispose]();
  }
}

/** Writes a program of the shell. */
export async function script(path: string, body: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${body}\n`);
  await chmod(path, 0o755);
}
