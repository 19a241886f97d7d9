import { join } from "node:path";
import { systemClock } from "@nest/kit";
import { type LocalCodeHost, startLocalCodeHost } from "@nest/local-codehost";
import { expect } from "vitest";
import type { PodmanHere } from "./contributor-image.ts";
import { type FolderHere, freePorts } from "./folder-here.ts";
import { HubProcess } from "./hub-process.ts";

const FAKES = join(import.meta.dirname, "../fakes/bin");
/** Fake agents of the image, by the name that they have in it. */
const AGENTS = { claude: join(FAKES, "agent-in-container"), bob: join(FAKES, "agent-in-container-at-terminal") };
/** Contributors, who all have a login at the code host. */
const PEOPLE = ["ada", "ben", "cleo", "dot"] as const;
export type Person = (typeof PEOPLE)[number];

/** A hub, a code host without issues yet, and the contributor's image with agents in it. */
export class ContributorScene implements AsyncDisposable {
  readonly folder: FolderHere;
  readonly podman: PodmanHere;
  readonly image: string;
  readonly codeHost: LocalCodeHost;
  readonly hub: HubProcess;

  private constructor(parts: Pick<ContributorScene, "folder" | "podman" | "image" | "codeHost" | "hub">) {
    this.folder = parts.folder;
    this.podman = parts.podman;
    this.image = parts.image;
    this.codeHost = parts.codeHost;
    this.hub = parts.hub;
  }

  /** @param address where hub and code host listen: loopback, or an address that pods reach. */
  static async set(folder: FolderHere, podman: PodmanHere, address = "127.0.0.1"): Promise<ContributorScene> {
    const image = await podman.build(folder, AGENTS);
    const codeHost = await startLocalCodeHost({
      dataDir: folder.in("codehost"),
      clock: systemClock(),
      address,
      seed: {
        organisations: ["acme"],
        tokens: { "token-of-hub": "acme-nest", ...Object.fromEntries(PEOPLE.map((name) => [tokenOf(name), name])) },
        repositories: [{ owner: "acme", name: "one", files: { "README.md": "# One\n" }, issues: [] }],
      },
    });
    const [port = 0] = await freePorts(1);
    const hub = await HubProcess.start({
      folder: folder.in("hub"),
      apiUrl: codeHost.apiUrl,
      repos: ["acme/one"],
      token: "token-of-hub",
      port,
      environment: { NEST_HUB_HOST: address, NEST_HUB_PUBLIC_URL: `http://${address}:${port}` },
    });
    return new ContributorScene({ folder, podman, image, codeHost, hub });
  }

  /** What a contributor's command is started with: registered, signed in at the code host, this image. */
  async environmentOf(person: Person): Promise<Record<string, string>> {
    return {
      ...this.podman.environment,
      PATH: process.env.PATH ?? "",
      LANG: "C.UTF-8",
      HOME: this.folder.in(`home-of-${person}`),
      NEST_HUB: `${this.hub.url.replace("http", "ws")}/contribute`,
      NEST_REGISTRATION_TOKEN: (await this.hub.register(person)).registration_token,
      NEST_CONTAINER_RUNTIME: "podman",
      NEST_RELAY_IMAGE: this.image,
      NEST_GITHUB_URL: this.codeHost.webUrl,
      NEST_GITHUB_API_URL: this.codeHost.apiUrl,
      GH_TOKEN: tokenOf(person),
    };
  }

  /** Opens an issue that the hub offers. A relay takes what there is: one test, one issue. */
  async openIssue(): Promise<void> {
    const answer = await fetch(`${this.codeHost.apiUrl}/repos/acme/one/issues`, {
      method: "POST",
      headers: { authorization: "Bearer token-of-hub", "content-type": "application/json" },
      body: JSON.stringify({ title: "The README is too short", body: "One more sentence." }),
    });
    if (!answer.ok) throw new Error(`no issue: ${answer.status} ${await answer.text()}`);
    await this.hub.refresh();
  }

  /** Waits until a contributor has this many pull requests that the hub has verified, and nothing failed. */
  async hasVerified(person: Person, count: number, story: () => string | Promise<string>): Promise<void> {
    const standing = async () =>
      (await this.hub.contributors()).find(({ github_username }) => github_username === person);
    await expect
      .poll(standing, { timeout: 60_000, interval: 200 })
      .toMatchObject({ total_tasks_completed_with_pr: count, total_tasks_failed: 0 })
      .catch(async (thrown) => {
        throw new Error(await story(), { cause: thrown });
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hub[Symbol.asyncDispose]();
    await this.codeHost.close();
    await this.podman.removeImages();
  }
}

/** A contributor's token at the code host. */
export function tokenOf(person: Person): string {
  return `token-of-${person}`;
}
