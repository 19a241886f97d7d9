import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { filesOfPerson, readableFor, type Surroundings } from "./reach.ts";

/** A program that is not there adds its own folder, which shows it too, and nothing else. */
const NOWHERE = "/nowhere/agent";
const HOME = "/home/ada";
const GIT = [`${HOME}/.gitconfig`, `${HOME}/.config/git`];
const OWN_LOGIN = [`${HOME}/.config/gh`, `${HOME}/.git-credentials`, `${HOME}/.ssh/known_hosts`];

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "nest-reach-test-")));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** What is readable besides git's settings and the program that is not there. */
async function besides(environment: Surroundings["environment"], home = HOME, binary = NOWHERE): Promise<string[]> {
  const readable = await readableFor(binary, { home, environment, hasCredential: true });
  const always = ["/nowhere", ...filesOfPerson({ home, environment, hasCredential: true })];
  return readable.filter((path) => !always.includes(path));
}

test("git's settings are readable, and the person's own login only where the task brings none", () => {
  const around = { home: HOME, environment: {} };
  expect(filesOfPerson({ ...around, hasCredential: true })).toEqual(GIT);
  expect(filesOfPerson({ ...around, hasCredential: false })).toEqual([...GIT, ...OWN_LOGIN]);
});

test("with nothing on PATH an agent reads its own program, the folder it is in, and git's settings", async () => {
  const around = { home: HOME, environment: {} };
  const withOne = await readableFor(NOWHERE, { ...around, hasCredential: true });
  expect(withOne).toEqual(["/nowhere", ...GIT]);
  const without = await readableFor(NOWHERE, { ...around, hasCredential: false });
  expect(without).toEqual(["/nowhere", ...GIT, ...OWN_LOGIN]);
});

test("the folders on PATH are readable, with what their programs are made of, each once; a relative one is not", async () => {
  expect(await besides({ PATH: "/opt/x/bin::bin:/opt/x/bin:./y" })).toEqual([
    "/opt/x/bin",
    "/opt/x/lib",
    "/opt/x/lib64",
    "/opt/x/libexec",
    "/opt/x/node_modules",
  ]);
});

test("certificates are readable where the environment says that they are, by an absolute path", async () => {
  const environment = { SSL_CERT_FILE: "/srv/ca.pem", SSL_CERT_DIR: "/srv/certs", NODE_EXTRA_CA_CERTS: "more.pem" };
  expect(await besides(environment)).toEqual(["/srv/ca.pem", "/srv/certs"]);
  expect(await besides({ NODE_EXTRA_CA_CERTS: "/srv/more.pem" })).toEqual(["/srv/more.pem"]);
});

test("the person's login elsewhere is readable only where the task brings none, git's settings elsewhere always", async () => {
  const environment = { GH_CONFIG_DIR: "/srv/gh", SSH_AUTH_SOCK: "/run/agent.sock", XDG_CONFIG_HOME: "/srv/config" };
  expect(await besides(environment)).toEqual(["/srv/config/git"]);
  const without = await readableFor(NOWHERE, { home: HOME, environment, hasCredential: false });
  expect(without.slice(-4)).toEqual(["/srv/gh", "/run/agent.sock", "/srv/config/git", "/srv/config/gh"]);
});

test.each([HOME, `${HOME}/`, `${HOME}/.`, `${HOME}//`, `${HOME}/bin/..`, "/home", "/home/", "/", "/tmp", "/tmp/"])(
  "a folder that shows all that is hidden is never readable: %s",
  async (path) => {
    expect(await besides({ SSL_CERT_DIR: path })).toEqual([]);
    expect(await besides({ SSL_CERT_DIR: path }, `${HOME}/`)).toEqual([]);
  },
);

test("a folder that only begins with the same letters is readable, and so is one within the home or `/tmp`", async () => {
  for (const path of ["/home/ad", "/hom", `${HOME}/certs`, "/tmp/certs", "/tm"])
    expect(await besides({ SSL_CERT_DIR: path })).toEqual([path]);
});

test("a link to the home, or to a folder above it, shows no more than its name", async () => {
  const home = join(root, "data/home/ada");
  await mkdir(home, { recursive: true });
  await symlink(join(root, "data/home"), join(root, "home"));
  await symlink(home, join(root, "mine"));
  const shown = (path: string) => besides({ SSL_CERT_DIR: path }, join(root, "home/ada"));
  for (const path of [home, join(root, "data"), join(root, "home"), join(root, "mine"), join(root, "mine/")])
    expect(await shown(path), path).toEqual([]);
  await mkdir(join(home, "certs"));
  expect(await shown(join(root, "mine/certs"))).toEqual([join(root, "mine/certs")]);
});

test("a program is readable through every link on the way to it, with the packages beside its own", async () => {
  const [bin, modules] = [join(root, "bin"), join(root, "lib/node_modules")];
  await mkdir(bin);
  await mkdir(join(modules, "agent"), { recursive: true });
  await writeFile(join(modules, "agent/cli.js"), "");
  await symlink("../lib/node_modules/agent/cli.js", join(bin, "agent-2"));
  await symlink("agent-2", join(bin, "agent"));
  expect(await besides({}, HOME, join(bin, "agent"))).toEqual([bin, modules]);
});

test("a program in a folder that is a link is readable where it lies as well", async () => {
  await mkdir(join(root, "versions/2"), { recursive: true });
  await writeFile(join(root, "versions/2/agent"), "");
  await symlink("versions/2", join(root, "now"));
  const [called, lies] = [join(root, "now"), join(root, "versions/2")];
  expect(await besides({}, HOME, join(called, "agent"))).toEqual([called, lies]);
});

test("a link right in `/tmp`, which is never shown whole, is shown by itself", async () => {
  const link = join("/tmp", `${root.split("/").at(-1)}-link`);
  await writeFile(join(root, "agent"), "");
  await symlink(join(root, "agent"), link);
  try {
    expect(await besides({}, HOME, link)).toEqual([link, root]);
  } finally {
    await rm(link);
  }
});

test("links that lead in a circle are followed to no end", async () => {
  await symlink("b", join(root, "a"));
  await symlink("a", join(root, "b"));
  expect(await besides({}, HOME, join(root, "a"))).toEqual([root]);
});
