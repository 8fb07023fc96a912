/** Rows that are drawn above and below those in view, so that scrolling shows no gap. */
const BEYOND = 8;

/** Returns the rows to draw of a list that is scrolled to `top` (px): from `first` up to but excluding `end`. */
export function visibleRows(about: { top: number; height: number; rowHeight: number; count: number }): {
  first: number;
  end: number;
} {
  const { top, height, rowHeight, count } = about;
  // A list that has become shorter can still have its old place.
  const place = Math.max(0, Math.min(top, count * rowHeight - height));
  return {
    first: Math.max(0, Math.floor(place / rowHeight) - BEYOND),
    end: Math.min(count, Math.ceil((place + height) / rowHeight) + BEYOND),
  };
}
