/** Cells of a workbook that may have a link; Excel allows 66,530 links on a sheet. */
export const MAX_LINKED_CELLS = 50_000;

const LINK = /<(?:\w{1,20}:)?hyperlink\s[^<>]*>/g;
const AREA = /\bref=["']\$?([A-Z]{1,3})\$?(\d{1,7})(?::\$?([A-Z]{1,3})\$?(\d{1,7}))?["']/;

/** Removes the links of worksheets beyond a number of cells: SheetJS creates a cell for each cell of a link. */
export class LinkLimit {
  #left = MAX_LINKED_CELLS;

  /** Set when a link was removed. */
  hasCut = false;

  /** Returns the XML of a worksheet with the links that are within the limit. */
  limit(worksheet: string): string {
    if (!worksheet.includes("hyperlink")) return worksheet;
    return worksheet.replace(LINK, (link) => {
      const cells = cellsOf(link);
      if (cells <= this.#left) {
        this.#left -= cells;
        return link;
      }
      this.hasCut = true;
      return "";
    });
  }
}

/** Returns the number of cells of a link, ECMA-376 part 1 § 18.3.1.47; one for an area that cannot be read. */
function cellsOf(link: string): number {
  const [, left, top, right = left, bottom = top] = AREA.exec(link) ?? [];
  if (left === undefined || right === undefined) return 1;
  const columns = Math.abs(columnNumber(right) - columnNumber(left)) + 1;
  return columns * (Math.abs(Number(bottom) - Number(top)) + 1);
}

function columnNumber(letters: string): number {
  let number = 0;
  for (const letter of letters) number = number * 26 + letter.charCodeAt(0) - 64;
  return number;
}
