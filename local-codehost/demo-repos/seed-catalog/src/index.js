export { seeds } from "./catalog.js";
export { calcTot, linePrice } from "./orders.js";
export { DEFAULT_PAGE_SIZE, page, pageCount } from "./pages.js";
export { cheapest, isInSeason } from "./season.js";
