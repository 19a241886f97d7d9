import { execFile } from "node:child_process";
import { chown, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseYaml } from "@nest/kit";
import type { nestConfig } from "@nest/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BASE_IMAGE, PodmanHere, whyNoImage } from "../harness/contributor-image.ts";
import { FolderHere, freePorts } from "../harness/folder-here.ts";

const DEPLOY = join(import.meta.dirname, "../../deploy");
const NAME = "nest-container-host";
const VOLUME = `${NAME}_nest-data`;
const OWNER = { "x-nest-user": "ada", "x-nest-role": "owner", "content-type": "application/json" };
const SEED = `# the host's own
project: {org: acme, repos: [one]}
github: {token: "\${OUR_TOKEN}"}
hub: {enabled: false}
dashboard: {hub_proxied: true}
acmm_level: 2
`;
const SLOW_MS = 500_000;
const impossible = await whyNoImage();
if (impossible !== undefined) console.log(`skipped: a nest on a container host: ${impossible}`);

describe.skipIf(impossible !== undefined)("a nest on a container host", () => {
  let folder: FolderHere;
  let podman: PodmanHere;
  let unable: string | undefined;
  let url = "";
  let image = "";

  beforeAll(async () => {
    folder = await FolderHere.make("container-host");
    podman = await PodmanHere.make(folder);
    unable = await podman.whyNoContainers();
    if (unable !== undefined) return;
    image = await podman.image("nest-spoke");
    await mkdir(folder.in("host/secrets"), { recursive: true });
    await seed(SEED);
  }, SLOW_MS);

  afterAll(async () => {
    await podman?.run("rm", "-f", "-i", NAME).catch(() => undefined);
    await podman?.run("volume", "rm", "-f", VOLUME).catch(() => undefined);
    await podman?.removeImages();
    await folder?.[Symbol.asyncDispose]();
  }, SLOW_MS);

  async function seed(text: string): Promise<void> {
    const file = folder.in("host/nest.yaml");
    await writeFile(file, text, { mode: 0o640 });
    await chown(file, 1001, 1000);
  }

  /** Starts the container with what compose.yaml says persists, on ports of this test. */
  async function up(): Promise<void> {
    const compose = parseYaml(await readFile(join(DEPLOY, "container-host/compose.yaml"), "utf8"), "compose.yaml") as {
      services: { nest: { volumes: string[] } };
    };
    const volumes = compose.services.nest.volumes.map((one) =>
      one.startsWith("./") ? folder.in("host", one.slice(2)) : `${NAME}_${one}`,
    );
    const [dashboard, terminal] = await freePorts(2);
    url = `http://127.0.0.1:${dashboard}`;
    const environment = {
      NEST_SPOKE_HOST: "127.0.0.1",
      NEST_SPOKE_DASHBOARD_PORT: `${dashboard}`,
      NEST_SPOKE_TERMINAL_PORT: `${terminal}`,
      OUR_TOKEN: "token-of-the-container",
    };
    const flags = Object.entries(environment).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    await podman.run(
      "run",
      "-d",
      "--no-healthcheck",
      "--name",
      NAME,
      ...flags,
      ...volumes.flatMap((one) => ["-v", one]),
      image,
    );
    const isUp = () =>
      fetch(`${url}/api/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect
      .poll(isUp, { timeout: 60_000 })
      .toBe(true)
      .catch(async (thrown) => {
        throw new Error(await podman.run("logs", NAME), { cause: thrown });
      });
  }

  async function call<Reply>(method: string, path: string, body?: object): Promise<Reply> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(url + path, { method, headers: OWNER, ...sent });
    return (await response.json()) as Reply;
  }
  const level = async () => (await call<nestConfig.ConfigView>("GET", "/api/config")).config.acmm_level;
  const remove = () => podman.run("rm", "-f", "-t", "10", NAME);

  test(
    "answers, keeps what was saved when its container is removed, and comes back from the volume's archive",
    async ({ skip }) => {
      if (unable !== undefined) {
        console.log(`skipped: a nest on a container host: ${unable}`);
        skip(unable);
      }
      await up();
      expect(await (await fetch(`${url}/`, { headers: OWNER })).text()).toContain("acme");
      expect(await call("PUT", "/api/config", { acmm_level: 4 })).toMatchObject({ ok: true, changed: ["acmm_level"] });
      const key = "cd".repeat(32);
      await call("PUT", "/api/config/governor/backup", { encryptionKey: key });
      const id = await podman.run("exec", NAME, "cat", "/data/nest-id");
      expect(await podman.run("exec", NAME, "id", "-u")).toBe("1001");

      await remove();
      await up();
      expect(await level()).toBe(4);
      const written = await readFile(folder.in("host/nest.yaml"), "utf8");
      expect(written).toContain("# the host's own");
      expect(written).toMatch(/^acmm_level: 4$/m);
      expect(written).not.toContain("token-of-the-container");

      // The runtime configuration is restored over later edits of the host's file, and the nest says so.
      await remove();
      await seed(SEED.replace("acmm_level: 2", "acmm_level: 6"));
      await up();
      expect(await level()).toBe(4);
      const { rejected } = await call<nestConfig.Provenance>("GET", "/api/config/provenance");
      expect(rejected.map(({ file }) => file)).toEqual(["/data/nest.yaml.replaced"]);

      // Restarting the nest in its container keeps the container.
      await call("POST", "/api/restart");
      await expect.poll(() => level().catch(() => undefined), { timeout: 30_000 }).toBe(4);

      await backupAndRestore();
      await up();
      expect(await level()).toBe(4);
      expect(await podman.run("exec", NAME, "cat", "/data/nest-id")).toBe(id);
      expect(await call("GET", "/api/backup/status")).toMatchObject({ available: true });
    },
    SLOW_MS,
  );

  /** The host-level backup of volume and secrets; everything but the archives is gone then, and restored from them. */
  async function backupAndRestore(): Promise<void> {
    const script = (name: string, ...args: readonly string[]) =>
      promisify(execFile)("sh", [join(DEPLOY, "backup", name), ...args], {
        env: {
          PATH: process.env.PATH,
          HOME: homedir(),
          ...podman.environment,
          CONTAINER_CLI: "podman",
          BACKUP_IMAGE: BASE_IMAGE,
        },
      });
    await script("container-host-backup.sh", NAME, folder.in("host/secrets"), folder.in("archives"));
    await remove();
    await podman.run("volume", "rm", VOLUME);
    await seed(SEED);
    const names = await readdir(folder.in("archives"));
    const archive = (word: string) => folder.in("archives", names.find((name) => name.includes(word)) ?? "");
    await script(
      "container-host-restore.sh",
      NAME,
      archive("nest-data"),
      archive("secrets"),
      folder.in("host/secrets"),
    );
  }
});
