import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { rendererAliases } from "./renderer/aliases.ts";

/**
 * What both apps need before they show a page, as one file: many small ones are a tenth larger when compressed. The terminal's window
 * shares one module with them, which is a file of its own.
 */
const groups = [
  { name: "style-nonce", test: /\/style-nonce/, priority: 2 },
  {
    name: "frame",
    tags: ["$initial" as const],
    test: /^(?!.*(?:xterm|\/src\/(?:hub|spoke)\/|\/shared\/terminal\/))/,
    priority: 1,
  },
];

/** One build for the browser sides of hub and spoke: an entry each, what they share is loaded once. */
export default defineConfig({
  base: "/app/",
  plugins: [react()],
  publicDir: false,
  resolve: { alias: rendererAliases },
  build: {
    manifest: true,
    target: "es2023",
    // Nothing becomes part of another file as a data address: the page's policy takes files of the hub only.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      input: { hub: "src/hub/main.tsx", spoke: "src/spoke/main.tsx", terminal: "src/spoke/terminal/main.ts" },
      output: { codeSplitting: { groups } },
    },
  },
});
