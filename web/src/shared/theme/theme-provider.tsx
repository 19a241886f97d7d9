import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { ModalsProvider } from "@mantine/modals";
import { Notifications } from "@mantine/notifications";
import type { ReactNode } from "react";
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
      <ModalsProvider modalProps={{ closeButtonProps: { "aria-label": "Close" } }}>
        {children}
        <Notifications position="bottom-left" limit={4} />
      </ModalsProvider>
    </MantineProvider>
  );
}
