import { expect, test } from "vitest";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";
import { readDoc } from "../../../../../src/content/documents/doc/doc.ts";
import { htmlToMarkdown } from "../../../../../src/content/documents/html/html-to-markdown.ts";
import { dataFolder } from "../../../../data-folder.ts";

const FILES = dataFolder("test/fixtures/word");

function read(bytes: Uint8Array, budget = new WorkBudget()): string {
  return htmlToMarkdown(readDoc(bytes, budget).html, "https://example.com/features.doc");
}

const GARDEN = `# The garden

Soil

Loam[1] is best[C1] for trees[2].

Area 3 m<sup>2</sup>, H<sub>2</sub>O, ~~old~~.

In a box

of its own

Behind the box

| Fruit | Count | Count |
| --- | --- | --- |
| Apples | 1 | 2 |
| Apples | 3 | four, five<br>six |

The end

1. It holds water.

   Clay does too.

2. See the book.

**Comment [C1]**  
Is it?`;

test("reads titles, notes, comments, text boxes, merged cells and tables in cells, without hidden and deleted text", () => {
  expect(read(FILES.bytes("features.doc"))).toBe(GARDEN);
});

test("takes a style for a heading that is based on one", () => {
  const bytes = new Uint8Array(FILES.bytes("features.doc"));
  const name = Buffer.from(bytes).indexOf(Buffer.from("Chapter", "utf16le"));
  // The style that another one is based on stands 10 bytes in front of its name; headings of level 2 are style 2.
  new DataView(bytes.buffer).setUint16(name - 10, (2 << 4) | 1, true);
  expect(read(bytes)).toBe(GARDEN.replace("\nSoil", "\n## Soil"));
});

test("reads notes and boxes with less where their tables are damaged", () => {
  const bytes = FILES.bytes("features.doc");
  // The block of information about the file begins with 0xa5ec; its tables are listed from 0x9a on.
  const start = bytes.indexOf(Buffer.from([0xec, 0xa5]));
  for (const table of [0xaa, 0xb2, 0xba, 0xc2, 0x1da, 0x20a, 0x212, 0x25a, 0xa2]) {
    for (const [place, length] of [
      [0xffff_fff0, 0x100],
      [0, 0xffff],
      [2, 27],
    ] as const) {
      const damaged = new Uint8Array(bytes);
      const view = new DataView(damaged.buffer, start + table);
      view.setUint32(0, place, true);
      view.setUint32(4, length, true);
      expect(read(damaged)).toContain("The end");
    }
  }
});

test("reads no note twice, whatever the table of notes says", () => {
  const bytes = new Uint8Array(FILES.bytes("features.doc"));
  const budget = new WorkBudget();
  read(bytes, budget);
  const start = Buffer.from(bytes).indexOf(Buffer.from([0xec, 0xa5]));
  const view = new DataView(bytes.buffer, start);
  // Footnotes become as long as the whole text; the positions of notes in the table stay.
  view.setUint32(0x50, 100_000, true);
  const other = new WorkBudget();
  read(bytes, other);
  expect(other.bytes).toBeLessThan(2 * budget.bytes);
});
