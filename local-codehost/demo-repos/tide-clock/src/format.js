/** Minutes since midnight as `HH:MM`. */
export function formatTime(minutes) {
  const hours = Math.round(minutes / 60);
  const rest = minutes % 60;
  return `${String(hours).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
}

/** `HH:MM` as minutes since midnight. */
export function parseTime(text) {
  const [hours, minutes] = text.split(":").map(Number);
  return hours * 60 + minutes;
}
