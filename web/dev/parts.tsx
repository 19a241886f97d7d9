import "../../http/src/assets/theme.css";
import "../../http/src/assets/frame.css";
import "./parts.css";
import { createRootRoute } from "@tanstack/react-router";
import { createAppRouter } from "../src/shared/router/app-router.ts";
import { AppShell } from "../src/shared/shell/app-shell.tsx";
import { startApp } from "../src/shared/shell/start-app.tsx";
import { dialogParts } from "./dialog-parts.tsx";
import { draftParts } from "./draft-parts.tsx";
import { listParts } from "./list-parts.tsx";
import { type ShownPart, Specimen } from "./specimen.tsx";
import { stateParts } from "./state-parts.tsx";

// Every shared part of the apps in its states, wide and narrow; light and dark by the switch in the bar. `npm run dev` serves it.

const parts: readonly ShownPart[] = [...stateParts, ...listParts, ...draftParts, ...dialogParts];

function Parts() {
  return (
    <AppShell server="hub" pages={[{ address: "/dev/parts", name: "Parts", key: "p" }]}>
      <h1>Parts</h1>
      {parts.map((part) => (
        <Specimen key={part.name} part={part} />
      ))}
    </AppShell>
  );
}

startApp(
  createAppRouter(
    createRootRoute({ component: Parts, notFoundComponent: () => undefined, staticData: { title: "Parts" } }),
  ),
);
