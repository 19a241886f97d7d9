import { Button } from "@mantine/core";
import { stringifySearch } from "../router/search-text.ts";

export interface ExportButtonsProps {
  /** The route that sends the file. */
  readonly path: string;
  readonly filter: Readonly<Record<string, string | undefined>>;
  /** What the file is of: `these tasks`. */
  readonly what: string;
}

/** Links to what was found as files. */
export function ExportButtons({ path, filter, what }: ExportButtonsProps) {
  return (["csv", "json"] as const).map((format) => (
    <Button
      key={format}
      component="a"
      href={path + stringifySearch({ format, ...filter })}
      download
      size="sm"
      variant="default"
    >
      {format.toUpperCase()}
      <span className="hidden"> file of {what}</span>
    </Button>
  ));
}
