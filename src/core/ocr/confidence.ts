/** Below this confidence a page is read in the other orientations too, and a warning names it. */
export const LOW_CONFIDENCE = 0.6;
