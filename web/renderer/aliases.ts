import { fileURLToPath } from "node:url";

/** Names of React, and what the app is built with in their place. */
export const rendererAliases = [
  { find: /^react$/, replacement: fileURLToPath(new URL("react.js", import.meta.url)) },
  { find: /^react-dom$/, replacement: "preact/compat" },
  { find: /^react-dom\/client$/, replacement: "preact/compat/client" },
  { find: /^react\/jsx-(dev-)?runtime$/, replacement: "preact/jsx-runtime" },
];
