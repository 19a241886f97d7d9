export { settings } from "./config.js";
export { formatTime, parseTime } from "./format.js";
export { stationNames } from "./stations.js";
export { averageHeight, lastReadings, nextHighTide, shiftByOneDay } from "./tide.js";
