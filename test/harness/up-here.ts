import { join } from "node:path";
import type { contribute } from "@nest/protocol";
import { freePorts } from "./folder-here.ts";
import { ProcessHere, type StartAs } from "./process-here.ts";

/** `nest up` as a user starts it, with a data folder and ports of its own that it keeps when it is started again. */
export class UpHere {
  readonly folder: string;
  readonly hubUrl: string;
  readonly spokeUrl: string;
  readonly flags: readonly string[];
  readonly #ports: readonly number[];

  private constructor(folder: string, ports: readonly number[], more: readonly string[]) {
    const [hub = 0, dashboard = 0, terminal = 0, codeHost = 0] = ports;
    this.folder = folder;
    this.#ports = ports;
    this.hubUrl = `http://127.0.0.1:${hub}`;
    this.spokeUrl = `http://127.0.0.1:${dashboard}`;
    const flags = { hub, dashboard, terminal, codehost: codeHost };
    const asked = Object.entries(flags).flatMap(([name, port]) => [`-${name}-port`, String(port)]);
    this.flags = ["up", "-data", join(folder, "data"), ...asked, ...more];
  }

  static async make(folder: string, more: readonly string[] = ["-pace", "0"]): Promise<UpHere> {
    return new UpHere(folder, await freePorts(4), more);
  }

  start(environment: Readonly<Record<string, string>> = {}, as: StartAs = {}): ProcessHere {
    const own = { HOME: this.folder, TMPDIR: process.env.TMPDIR ?? "/tmp" };
    return new ProcessHere("nest", this.flags, { ...own, ...environment }, as);
  }

  /** Its output, with the ports and the folder replaced by those of a run without flags. */
  asUsual(output: string): string {
    const usual = [8080, 3002, 3001, 8090];
    const shown = this.#ports.reduce((text, port, at) => text.replaceAll(`${port}`, `${usual[at]}`), output);
    return shown.replaceAll(join(this.folder, "data"), "~/.local/share/nest/demo");
  }

  async read<Reply>(path: string): Promise<Reply> {
    const response = await fetch(this.hubUrl + path);
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return (await response.json()) as Reply;
  }

  /** Addresses of the pull requests that the hub has verified. */
  async verified(): Promise<string[]> {
    const { activity } = await this.read<{ activity: contribute.ActivityEntry[] }>(
      "/api/contribute/activity?limit=500",
    );
    return activity.filter(({ action }) => action === "pull request verified").map(({ url = "" }) => url);
  }

  /** Issues not on offer because an open pull request claims them. */
  async claimed(): Promise<string[]> {
    const { queue } = await this.read<contribute.QueueReply>("/api/contribute/queue?with=withheld&limit=500");
    return queue.filter((item) => item.withheld?.reason === "claimed").map(({ key }) => key);
  }

  /** The login under which the hub knows the connected relay. */
  async contributor(): Promise<string | undefined> {
    return (await this.read<contribute.FleetReply>("/api/contribute/fleet")).clankers[0]?.contributor_id;
  }
}

/** The issues that `nest up` said were taken, in order. */
export function taken(output: string): string[] {
  return [...output.matchAll(/ took (\S+#\d+)/g)].map(([, key = ""]) => key);
}
