/** The size of a chart's drawing, in its own units; it is stretched to the width that there is. */
export const plotHeight = 120;
export const plotWidth = 720;
