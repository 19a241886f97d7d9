import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Serves `/dev/parts` while one works on the app; nothing of it is in what is built. */
export default defineConfig({
  root: join(import.meta.dirname, ".."),
  appType: "mpa",
  plugins: [react()],
  publicDir: false,
  cacheDir: ".cache/dev",
  server: { host: "127.0.0.1" },
});
