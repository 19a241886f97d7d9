// What had the focus can go away: a row that is acted on leaves its list, and a dialog's button leaves with the dialog. Whoever uses the
// keyboard then goes on from the row that took its place, not from the top of the page.

/** Where the focus was last in a list. */
let last: { readonly list: HTMLElement; readonly row: string } | undefined;

/** Remembers which row of a list has the focus. */
export function rememberRow(list: HTMLElement, control: EventTarget | null): void {
  const row = control instanceof Element ? control.closest<HTMLElement>("[data-index]")?.dataset.index : undefined;
  last = { list, row: row ?? "" };
}

/**
 * Where nothing has the focus any more, gives it to the row that stands where the last one did, else to that list, else to the first
 * list of the page, else to the page.
 */
export function findLostFocus(): void {
  const { activeElement: active } = document;
  if (active !== null && active !== document.body && active.isConnected) return;
  const list = last?.list.isConnected === true ? last.list : document.querySelector<HTMLElement>("main .long-list");
  const row = list === last?.list ? list?.querySelector(`[data-index="${last?.row}"]`) : undefined;
  const control = row?.querySelector<HTMLElement>("input:not([disabled]), a[href], button:not([disabled])");
  const next = control ?? list ?? document.getElementById("main");
  next?.focus({ preventScroll: true });
}
