import { join } from "node:path";
import { defineConfig } from "vite";
import { rendererAliases } from "../renderer/aliases.ts";

/** Serves `/dev/parts` while one works on the app; nothing of it is in what is built. */
export default defineConfig({
  root: join(import.meta.dirname, ".."),
  appType: "mpa",
  resolve: { alias: rendererAliases },
  publicDir: false,
  cacheDir: ".cache/dev",
  server: { host: "127.0.0.1" },
});
