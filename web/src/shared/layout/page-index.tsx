import type { MouseEvent } from "react";

export interface PageIndexProps {
  /** Parts of the page: the id of each and its name. */
  readonly sections: readonly (readonly [id: string, name: string])[];
}

/** The parts of a long page, and a way to each. */
export function PageIndex({ sections }: PageIndexProps) {
  return (
    <nav className="page-index" aria-label="Parts of this page">
      <ul>
        {sections.map(([id, name]) => (
          <li key={id}>
            <a href={`#${id}`} onClick={(event) => goToPart(event, id)}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Goes there as the browser would, and leaves the address alone: it holds what is shown, not where one reads. */
function goToPart(event: MouseEvent, id: string): void {
  const part = document.getElementById(id);
  if (part === null || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  part.scrollIntoView({ block: "start" });
  part.focus({ preventScroll: true });
}
