const GAP_PX = 6;

/** Puts an open menu under its button, their right edges in line; above it where there is no room below. */
export function placeMenu(menu: HTMLElement, button: HTMLElement | null): void {
  if (button === null) return;
  const { top, bottom, right, left } = button.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const fitsBelow = bottom + GAP_PX + height <= clientHeight || top < height + GAP_PX;
  const fitsToTheLeft = right - width >= 0;
  menu.style.top = `${fitsBelow ? bottom + GAP_PX : top - GAP_PX - height}px`;
  menu.style.left = `${Math.max(0, Math.min(fitsToTheLeft ? right - width : left, clientWidth - width))}px`;
}
