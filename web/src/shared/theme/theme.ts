import { type CSSVariablesResolver, createTheme, defaultVariantColorsResolver } from "@mantine/core";

/** Mantine's theme in the hub's colours (theme.css). */
export const theme = createTheme({
  primaryColor: "nest",
  primaryShade: { light: 7, dark: 4 },
  autoContrast: true,
  // Mantine picks the text colour of filled buttons for the light scheme only. Ours needs dark text in the dark scheme.
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    const isPrimary = input.color === undefined || input.color === "nest";
    return input.variant === "filled" && isPrimary ? { ...colors, color: "var(--on-accent)" } : colors;
  },
  colors: {
    dark: [
      "#e7e9eb",
      "#c9ced3",
      "#99a1ab",
      "#6b737d",
      "#3a4047",
      "#282c31",
      "#1d2125",
      "#181b1e",
      "#141719",
      "#101214",
    ],
    nest: [
      "#eaf5f1",
      "#d3e9e2",
      "#a9d6c9",
      "#90cfbb",
      "#79c9b1",
      "#4fae93",
      "#35927a",
      "#1f6b58",
      "#175646",
      "#0f4235",
    ],
  },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", sans-serif',
  fontFamilyMonospace: "var(--mono)",
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    // Plain values: `Modal.extend` and its like would bring the component to pages that have not opened one.
    Button: { defaultProps: { fw: 550 } },
    Modal: {
      defaultProps: { centered: true, closeButtonProps: { "aria-label": "Close" } },
      styles: { title: { fontWeight: 620 } },
    },
    // The list itself scrolls, which is in the page's main part: both are where assistive technology looks for them.
    Select: { defaultProps: { withScrollArea: false, comboboxProps: { portalProps: { target: "#main" } } } },
    Tooltip: { defaultProps: { openDelay: 400, events: { hover: true, focus: true, touch: false } } },
  },
});

const surface = {
  "--mantine-color-body": "var(--card)",
  "--mantine-color-text": "var(--ink)",
  "--mantine-color-dimmed": "var(--soft)",
  "--mantine-color-default": "var(--card)",
  "--mantine-color-default-hover": "var(--hover)",
  "--mantine-color-default-color": "var(--ink)",
  "--mantine-color-default-border": "var(--line)",
  "--mantine-color-placeholder": "var(--soft)",
  "--mantine-color-error": "var(--bad)",
  "--mantine-color-anchor": "var(--accent)",
};

/** Mantine's surfaces use the variables of theme.css, which already differ between light and dark. */
export const surfaces: CSSVariablesResolver = () => ({ variables: {}, light: surface, dark: surface });
