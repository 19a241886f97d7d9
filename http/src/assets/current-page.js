// Scrolls the navigation, which is one row also on a phone, so that the page where one is stands in its middle.
const here = document.querySelector(".bar nav [aria-current]");
const row = here?.closest("ul");
if (row) row.scrollLeft = here.offsetLeft - (row.clientWidth - here.offsetWidth) / 2;
