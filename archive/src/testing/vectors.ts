import { crc32, gzipSync } from "node:zlib";
import { anArchive, aTar, KEY, noise, rowOf, sealed, sealedTar, singleShot, withManifest } from "./make.ts";

/** The expected result of reading an archive: `ok`, or the code of the refusal. */
type Expected = "ok" | "wrong_key" | "damaged" | "hostile" | "inconsistent" | "unsupported";

/** A change to the bytes of an archive, simple enough for any language. */
export type Change =
  | { readonly keep: number }
  | { readonly flip: number }
  | { readonly append: string }
  | { readonly swap: readonly [from: number, to: number, bytes: number] }
  | { readonly drop: readonly [from: number, bytes: number] };

export interface Vector {
  readonly name: string;
  readonly about: string;
  /** The file in this folder to start from. */
  readonly file: string;
  readonly key: string;
  readonly change?: readonly Change[];
  readonly expect: Expected;
  /** For `ok`: the content. */
  readonly files?: readonly { readonly path: string; readonly size: number; readonly sha256: string }[];
}

const TEXT = {
  "hub/saas/users/ada.json": Buffer.from('{"login":"ada"}\n'),
  "hub/hub-registry.json": Buffer.from("{}\n"),
};
const LONG = `hub/saas/${"a-long-folder-name/".repeat(14)}file.json`;
const MANY = { "hub/saas/noise.bin": noise(150_000), "hub/saas/größe.txt": Buffer.from("x"), [LONG]: Buffer.from("y") };
const ONE = [{ path: "hub/a.txt", content: Buffer.from("a") }];
const CHUNK = 65_536 + 16;

/** The files of the vectors folder. Keys and salts are fixed; a real archive never uses fixed ones. */
export async function vectorFiles(): Promise<Record<string, Buffer>> {
  const other = { path: "hub/b.txt", content: Buffer.from("b") };
  return {
    "small-gzip": await anArchive(TEXT),
    "version-3": withHeaderByte(await anArchive(TEXT), 8, 3),
    "unknown-suite": withHeaderByte(await anArchive(TEXT), 9, 7),
    "unknown-codec": withHeaderByte(await anArchive(TEXT), 10, 9),
    "small-zstd": await anArchive(TEXT, { codec: "zstd" }),
    "three-chunks": await anArchive(MANY, { chunkLog2: 16 }),
    "one-gzip-stream": await sealedTar(withManifest(ONE)),
    "single-shot": singleShot(gzipSync(aTar(withManifest(ONE)))),
    "empty-payload": await sealed(Buffer.alloc(0)),
    "no-gzip": await sealed(Buffer.from("this is not gzip at all")),
    "tar-without-end": await sealedTar(withManifest(ONE), Buffer.alloc(0)),
    "symbolic-link": await sealedTar(withManifest([{ path: "hub/a", type: "2", linkTo: "/etc/passwd" }])),
    "hard-link": await sealedTar(withManifest([...ONE, { path: "hub/b", type: "1", linkTo: "hub/a.txt" }])),
    device: await sealedTar(withManifest([{ path: "hub/null", type: "3" }])),
    pipe: await sealedTar(withManifest([{ path: "hub/pipe", type: "6" }])),
    sparse: await sealedTar(withManifest([{ path: "hub/sparse", type: "S" }])),
    "absolute-name": await sealedTar(withManifest([{ path: "/etc/cron.d/x", content: Buffer.from("x") }])),
    "name-leads-out": await sealedTar(withManifest([{ path: "hub/../../x", content: Buffer.from("x") }])),
    "backslash-name": await sealedTar(withManifest([{ path: "hub\\x", content: Buffer.from("x") }])),
    "drive-name": await sealedTar(withManifest([{ path: "C:/x", content: Buffer.from("x") }])),
    "unclean-name": await sealedTar(withManifest([{ path: "hub//x", content: Buffer.from("x") }])),
    "same-name-twice": await sealedTar(withManifest([...ONE, ...ONE])),
    "names-differ-in-case": await sealedTar(withManifest([...ONE, { path: "hub/A.TXT", content: Buffer.from("b") }])),
    "file-and-folder": await sealedTar(withManifest([...ONE, { path: "hub/a.txt/b", content: Buffer.from("b") }])),
    "after-the-manifest": await sealedTar([...withManifest(ONE), other]),
    "no-manifest": await sealedTar(ONE),
    "manifest-names-absent": await sealedTar(
      withManifest(ONE, { files: [rowOf("hub/a.txt", Buffer.from("a")), rowOf("hub/b.txt", Buffer.from("b"))] }),
    ),
    "manifest-omits": await sealedTar(withManifest([...ONE, other], { files: [rowOf("hub/a.txt", Buffer.from("a"))] })),
    "manifest-other-hash": await sealedTar(withManifest(ONE, { files: [rowOf("hub/a.txt", Buffer.from("A"))] })),
    "manifest-other-size": await sealedTar(
      withManifest(ONE, { files: [{ ...rowOf("hub/a.txt", Buffer.from("a")), size: 2 }] }),
    ),
    "manifest-version-2": await sealedTar(withManifest(ONE, { format_version: 2 })),
    "manifest-no-json": await sealedTar([...ONE, { path: "MANIFEST.json", content: Buffer.from("{") }]),
  };
}

/** Every vector with its expected result; `docs/archive-format.md` explains each class. */
export function vectorList(sizes: Readonly<Record<string, number>>): Vector[] {
  const key = KEY.reveal();
  const whole = sizes["three-chunks"] ?? 0;
  const on = (file: string, name: string, about: string, change: readonly Change[], expect: Expected): Vector => {
    return { name, about, file, key, change, expect };
  };
  const good = (file: string, about: string, files: Readonly<Record<string, Buffer>>): Vector => {
    return {
      name: file,
      about,
      file,
      key,
      expect: "ok",
      files: Object.entries(files).map(([path, of]) => rowOf(path, of)),
    };
  };
  const bad = (file: string, expect: Expected): Vector => ({
    name: file,
    about: file.replaceAll("-", " "),
    file,
    key,
    expect,
  });
  return [
    good("small-gzip", "one chunk, the default codec", TEXT),
    good("small-zstd", "the zstd codec", TEXT),
    good("three-chunks", "chunks of 64 KiB, a long name and one that is not ASCII", MANY),
    good("one-gzip-stream", "one gzip member without lengths, as another writer may make it", {
      "hub/a.txt": Buffer.from("a"),
    }),
    good("single-shot", "the older form", { "hub/a.txt": Buffer.from("a") }),
    { ...bad("small-gzip", "wrong_key"), name: "wrong-key", key: "f".repeat(64), about: "another key" },
    {
      ...bad("single-shot", "damaged"),
      name: "single-shot-wrong-key",
      key: "f".repeat(64),
      about: "cannot be told from damage",
    },
    on("single-shot", "single-shot-flipped", "the tag does not fit", [{ flip: 20 }], "damaged"),
    on("single-shot", "single-shot-cut", "cut in the middle", [{ keep: 40 }], "damaged"),
    on("small-gzip", "empty", "no byte at all", [{ keep: 0 }], "damaged"),
    on("small-gzip", "cut-in-the-header", "header incomplete", [{ keep: 60 }], "damaged"),
    on("small-gzip", "header-only", "no chunk", [{ keep: 88 }], "damaged"),
    on("small-gzip", "magic-flipped", "taken for the older form, whose tag does not fit", [{ flip: 0 }], "damaged"),
    on("small-gzip", "version-flipped", "the header's checksum does not fit", [{ flip: 8 }], "damaged"),
    on("small-gzip", "salt-flipped", "the header's checksum does not fit", [{ flip: 20 }], "damaged"),
    on("small-gzip", "commitment-flipped", "damage, not a wrong key", [{ flip: 50 }], "damaged"),
    on("small-gzip", "reserved-flipped", "reserved bytes must be zero", [{ flip: 85 }], "damaged"),
    on("three-chunks", "cut-between-chunks", "truncated where a chunk ends", [{ keep: 88 + CHUNK }], "damaged"),
    on("three-chunks", "cut-in-a-chunk", "truncated inside a chunk", [{ keep: 88 + CHUNK + 100 }], "damaged"),
    on("three-chunks", "cut-by-one", "the last byte is missing", [{ keep: whole - 1 }], "damaged"),
    on("three-chunks", "first-chunk-flipped", "one bit changed", [{ flip: 100 }], "damaged"),
    on("three-chunks", "last-tag-flipped", "one bit changed", [{ flip: whole - 1 }], "damaged"),
    on("three-chunks", "chunks-swapped", "chunks 0 and 1 exchanged", [{ swap: [88, 88 + CHUNK, CHUNK] }], "damaged"),
    on("three-chunks", "chunk-missing", "chunk 1 taken out", [{ drop: [88 + CHUNK, CHUNK] }], "damaged"),
    on("three-chunks", "appended", "a byte after the end", [{ append: "00" }], "damaged"),
    ...["version-3", "unknown-suite", "unknown-codec"].map((file) => bad(file, "unsupported")),
    bad("empty-payload", "damaged"),
    bad("no-gzip", "damaged"),
    bad("tar-without-end", "damaged"),
    ...["symbolic-link", "hard-link", "device", "pipe", "sparse", "absolute-name", "name-leads-out"].map((file) =>
      bad(file, "hostile"),
    ),
    ...["backslash-name", "drive-name", "unclean-name", "same-name-twice"].map((file) => bad(file, "hostile")),
    ...["names-differ-in-case", "file-and-folder", "after-the-manifest"].map((file) => bad(file, "hostile")),
    ...["no-manifest", "manifest-names-absent", "manifest-omits", "manifest-other-hash"].map((file) =>
      bad(file, "inconsistent"),
    ),
    ...["manifest-other-size", "manifest-version-2", "manifest-no-json"].map((file) => bad(file, "inconsistent")),
  ];
}

/** Makes the header of another release: changes one byte and corrects the checksum. */
function withHeaderByte(archive: Buffer, at: number, value: number): Buffer {
  const other = Buffer.from(archive);
  other[at] = value;
  other.writeUInt32BE(crc32(other.subarray(0, 80)), 80);
  return other;
}

/** Applies changes to the bytes of an archive. */
export function changed(bytes: Buffer, changes: readonly Change[] = []): Buffer {
  let now = Buffer.from(bytes);
  for (const change of changes) {
    if ("keep" in change) now = now.subarray(0, change.keep);
    else if ("flip" in change) now[change.flip] = (now[change.flip] ?? 0) ^ 1;
    else if ("append" in change) now = Buffer.concat([now, Buffer.from(change.append, "hex")]);
    else if ("drop" in change) {
      now = Buffer.concat([now.subarray(0, change.drop[0]), now.subarray(change.drop[0] + change.drop[1])]);
    } else {
      const [from, to, count] = change.swap;
      const held = Buffer.from(now.subarray(from, from + count));
      now.copy(now, from, to, to + count);
      held.copy(now, to);
    }
  }
  return now;
}
