import type { MouseEvent } from "react";

export interface PageIndexProps {
  /** Each section's element id and its name. */
  readonly sections: readonly (readonly [id: string, name: string])[];
}

/** Links to the sections of a long page. */
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

/** Scrolls to the section and focuses it. The address stays as it is, because it holds the filters of the page. */
function goToPart(event: MouseEvent, id: string): void {
  const part = document.getElementById(id);
  if (part === null || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  part.scrollIntoView({ block: "start" });
  part.focus({ preventScroll: true });
}
