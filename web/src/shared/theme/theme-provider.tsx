import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import type { ReactNode } from "react";
import { Dialogs } from "../forms/dialogs.tsx";
import { Toasts } from "../toast/toasts.tsx";
import { surfaces, theme } from "./theme.ts";

const scheme = localStorageColorSchemeManager({ key: "nest-colour-scheme" });

/** Names the root more closely than Mantine's own stylesheet does: our colours hold also where that one comes later. */
const SELECTOR = "html:root";

/** Gives every app its colours (light and dark), dialogs and toasts. */
export function ThemeProvider({ styleNonce, children }: { readonly styleNonce: string; readonly children: ReactNode }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={surfaces}
      cssVariablesSelector={SELECTOR}
      colorSchemeManager={scheme}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      {children}
      <Dialogs />
      <Toasts />
    </MantineProvider>
  );
}
