import { createDecipheriv, createHash, hkdfSync } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { parseKey } from "./key.ts";
import { readArchive } from "./read-archive.ts";
import { changed, type Vector, vectorFiles, vectorList } from "./testing/vectors.ts";

const folder = new URL("../vectors/", import.meta.url);
const read = (file: string) => readFile(new URL(`${file}.enc`, folder));

if (process.env.NEST_WRITE_VECTORS === "1") {
  const files = await vectorFiles();
  await mkdir(folder, { recursive: true });
  for (const [name, bytes] of Object.entries(files)) await writeFile(new URL(`${name}.enc`, folder), bytes);
  const sizes = Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, bytes.length]));
  await writeFile(new URL("vectors.json", folder), `${JSON.stringify(vectorList(sizes), undefined, 2)}\n`);
}

const vectors = JSON.parse(await readFile(new URL("vectors.json", folder), "utf8")) as Vector[];

test.each(vectors.map((vector) => [vector.name, vector] as const))("vector %s", async (_, vector) => {
  const bytes = changed(await read(vector.file), vector.change);
  const outcome = readArchive([bytes], { keys: [parseKey(vector.key, "vector")] });
  if (vector.expect === "ok") expect((await outcome).manifest.files).toEqual(vector.files);
  else await expect(outcome).rejects.toMatchObject({ code: `archive_${vector.expect}` });
});

test("every file of the folder is used by a vector", async () => {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".enc")).map((name) => name.slice(0, -4));
  expect(new Set(vectors.map(({ file }) => file))).toEqual(new Set(names));
});

/** An independent reader, written from docs/archive-format.md alone; it uses none of the product's code. */
function independentReader(archive: Buffer, key: Buffer): Map<string, Buffer> {
  const header = archive.subarray(0, 88);
  const info = Buffer.concat([Buffer.from("nest-backup v2"), header.subarray(0, 16)]);
  const derived = Buffer.from(hkdfSync("sha256", key, header.subarray(16, 48), info, 64));
  if (!derived.subarray(32).equals(header.subarray(48, 80))) throw new Error("wrong key");
  const chunk = 2 ** (header[11] as number) + 16;
  const plain: Buffer[] = [];
  for (let at = 88, number = 0; at < archive.length; at += chunk, number += 1) {
    const sealed = archive.subarray(at, at + chunk);
    const nonce = Buffer.alloc(12);
    nonce.writeUInt32BE(number, 7);
    nonce[11] = at + sealed.length === archive.length ? 1 : 0;
    const open = createDecipheriv("aes-256-gcm", derived.subarray(0, 32), nonce, { authTagLength: 16 });
    open.setAAD(header).setAuthTag(sealed.subarray(-16));
    plain.push(open.update(sealed.subarray(0, -16)), open.final());
  }
  const tar = gunzipSync(Buffer.concat(plain));
  const files = new Map<string, Buffer>();
  let longName: string | undefined;
  for (let at = 0; tar[at] !== 0; ) {
    const text = (from: number, length: number) =>
      tar.toString("utf8", at + from, at + from + length).replace(/\0.*$/s, "");
    const size = Number.parseInt(text(124, 12), 8);
    const content = tar.subarray(at + 512, at + 512 + size);
    const prefix = text(345, 155);
    if (text(156, 1) === "x") longName = /\d+ path=(.*)\n/.exec(content.toString("utf8"))?.[1];
    else {
      files.set(longName ?? (prefix === "" ? text(0, 100) : `${prefix}/${text(0, 100)}`), content);
      longName = undefined;
    }
    at += 512 + Math.ceil(size / 512) * 512;
  }
  const manifest = JSON.parse(String(files.get("MANIFEST.json")));
  for (const { path, sha256 } of manifest.files) {
    const content = files.get(path) as Buffer;
    if (createHash("sha256").update(content).digest("hex") !== sha256) throw new Error(`hash of ${path}`);
  }
  return files;
}

test.each(["small-gzip", "three-chunks", "one-gzip-stream"])("a second implementation reads %s", async (file) => {
  const vector = vectors.find(({ name }) => name === file) as Vector;
  const files = independentReader(await read(file), Buffer.from(vector.key, "hex"));
  expect([...files.keys()]).toEqual([...(vector.files ?? []).map(({ path }) => path), "MANIFEST.json"]);
});
