import type { ReactNode } from "react";

export interface PanelProps {
  readonly id: string;
  readonly title: string;
  /** How many, beside the title. */
  readonly tally?: string | undefined;
  /** Stands at the right of the title. */
  readonly tools?: ReactNode;
  readonly children: ReactNode;
}

/** A section of a page with its heading. */
export function Panel({ id, title, tally, tools, children }: PanelProps) {
  return (
    <section className="panel" id={id} aria-labelledby={`${id}-title`} tabIndex={-1}>
      <header className="panel-head">
        <h2 id={`${id}-title`}>
          {title} {tally === undefined ? undefined : <span className="tally">{tally}</span>}
        </h2>
        {tools === undefined ? undefined : <div className="panel-tools">{tools}</div>}
      </header>
      {children}
    </section>
  );
}
