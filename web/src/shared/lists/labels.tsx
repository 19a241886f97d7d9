import "./labels.css";
import { useId, useRef } from "react";
import { placeMenu } from "../menu/place-menu.ts";

/** As many labels as a row has room for, where it is wide and where it is narrow. */
const MOST_WIDE = 3;
const MOST_NARROW = 1;

/** The first labels of an issue, and how many more there are: pointing at that number, or going to it, shows them. */
export function Labels({ labels }: { readonly labels: readonly string[] }) {
  return (
    <>
      {labels.slice(0, MOST_WIDE).map((label, nth) => (
        <bdi className={nth < MOST_NARROW ? "label" : "label label-wide"} key={label} title={label}>
          {label}
        </bdi>
      ))}
      <More labels={labels.slice(MOST_WIDE)} look="label-wide" />
      <More labels={labels.slice(MOST_NARROW)} look="label-narrow" />
    </>
  );
}

function More({ labels, look }: { readonly labels: readonly string[]; readonly look: string }) {
  const id = useId();
  const tip = useRef<HTMLSpanElement>(null);
  if (labels.length === 0) return undefined;
  const show = (button: HTMLElement) => {
    tip.current?.showPopover();
    if (tip.current !== null) placeMenu(tip.current, button);
  };
  const hide = () => tip.current?.hidePopover();
  return (
    <>
      <button
        type="button"
        className={`label more-labels ${look}`}
        aria-describedby={id}
        onMouseEnter={({ currentTarget }) => show(currentTarget)}
        onMouseLeave={hide}
        onFocus={({ currentTarget }) => show(currentTarget)}
        onBlur={hide}
        onKeyDown={({ key }) => {
          if (key === "Escape") hide();
        }}
      >
        +{labels.length}
        <span className="hidden"> more labels</span>
      </button>
      <span ref={tip} id={id} role="tooltip" popover="manual" className="label-tip">
        {labels.map((label) => (
          <bdi className="label" key={label}>
            {label}
          </bdi>
        ))}
      </span>
    </>
  );
}
