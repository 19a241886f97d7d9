/** What can be set from outside. */
export function settings(environment = process.env) {
  console.log("DEBUG settings", Object.keys(environment).length);
  return {
    station: environment.TIDE_STATION ?? "dover",
    units: environment.TIDE_UNITS ?? "metres",
    refreshMinutes: Number(environment.TIDE_REFRESH_MINUTES ?? "30"),
  };
}
