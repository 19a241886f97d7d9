import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** One build for the browser sides of hub and spoke: an entry each, what they share is loaded once. */
export default defineConfig({
  base: "/app/",
  plugins: [react()],
  publicDir: false,
  build: {
    manifest: true,
    target: "es2023",
    // Nothing becomes part of another file as a data address: the page's policy takes files of the hub only.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      input: { hub: "src/hub/main.tsx", spoke: "src/spoke/main.tsx", terminal: "src/spoke/terminal/main.ts" },
    },
  },
});
