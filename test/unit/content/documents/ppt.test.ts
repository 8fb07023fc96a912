import { describe, expect, test } from "vitest";
import { childRecords, livePptRecords, RECORDS } from "../../../../src/content/documents/ppt/ppt-records.ts";
import { readDocument } from "../../../../src/content/documents/read-document.ts";
import { WorkBudget } from "../../../../src/core/work-budget.ts";
import { compoundFile } from "../../../fakes/compound-file.ts";

const source = { contentType: undefined, url: "https://example.com/a.ppt" };

function record(type: number, data: Uint8Array, instance = 0, version = 0): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16LE((instance << 4) | version, 0);
  head.writeUInt16LE(type, 2);
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data]);
}
const container = (type: number, children: readonly Uint8Array[], instance = 0): Buffer =>
  record(type, Buffer.concat(children), instance, 15);
const numbers = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32LE(value >>> 0, at * 4);
  return bytes;
};
const shorts = (...values: number[]): Buffer => Buffer.from(new Uint16Array(values).buffer);
const header = (type: number): Buffer => record(3999, numbers(type));
const text = (value: string): Buffer => record(4000, Buffer.from(value, "utf16le"));
/** A run of characters at a level, with properties in the order of [MS-PPT] § 2.9.20. */
const run = (characters: number, level: number, mask = 0, ...properties: Uint8Array[]): Buffer =>
  Buffer.concat([numbers(characters), shorts(level), numbers(mask), ...properties]);
const styles = (...runs: Uint8Array[]): Buffer => record(4001, Buffer.concat(runs));
const link = (id: number, from: number, to: number, instance = 0): Buffer =>
  Buffer.concat([
    container(4082, [record(4083, numbers(0, id, 0, 0))], instance),
    record(4063, numbers(from, to), instance),
  ]);
const address = (id: number, target: string): Buffer =>
  container(4055, [record(4051, numbers(id)), record(4026, Buffer.from(target, "utf16le"), 1)]);
const box = (...children: Uint8Array[]): Buffer => container(0xf00d, children);
const shape = (...parts: Uint8Array[]): Buffer => container(0xf004, parts);
const cell = (left: number, top: number, right: number, bottom: number, value: string): Buffer =>
  shape(record(0xf00f, numbers(left, top, right, bottom)), box(header(4), text(value)));
const table = (...cells: Uint8Array[]): Buffer =>
  container(0xf003, [shape(record(0xf122, Buffer.concat([shorts(0x39f), numbers(1)]), 1)), ...cells]);

/** A presentation of one slide with texts in its outline, shapes, addresses and further lists. */
async function read(parts: {
  outline?: Uint8Array[];
  shapes?: Uint8Array[];
  addresses?: Uint8Array[];
  lists?: Uint8Array[];
  budget?: WorkBudget;
}): Promise<string> {
  const { outline = [], shapes = [], addresses = [], lists = [], budget } = parts;
  const document = container(1000, [
    container(1033, addresses),
    container(4080, [record(1011, numbers(2, 0, 0, 256, 0)), ...outline]),
    ...lists,
  ]);
  const slide = container(1006, [container(1036, shapes)]);
  const end = document.length + slide.length;
  const directory = record(6002, numbers((2 << 20) | 1, 0, document.length));
  const edit = record(4085, numbers(0, 0, 0, end, 1, 0, 0));
  const stream = Buffer.concat([document, slide, directory, edit]);
  const user = record(4086, numbers(0x14, 0xe391c05f, end + directory.length, 0, 0));
  const bytes = compoundFile([
    { name: "PowerPoint Document", content: stream },
    { name: "Current User", content: user },
  ]);
  return (await readDocument("ppt", bytes, { ...source, ...(budget && { budget }) })).markdown;
}

const outlineBox = (at: number): Buffer => shape(box(record(3998, numbers(at))));

describe("PowerPoint 97 presentations", () => {
  test("have lists with the levels of their paragraphs", async () => {
    // All properties of a paragraph in front of the next run: bullet, its sign, font, size and colour, spaces, indents, tabs.
    const all = Buffer.concat([shorts(1, 0x2022, 0, 100), numbers(0), shorts(0, 90, 0, 0, 10, 20, 30)]);
    const tabs = Buffer.concat([shorts(2), numbers(1, 2), shorts(0, 1, 0)]);
    const markdown = await read({
      outline: [
        header(0),
        text("Orchard"),
        header(1),
        text("Apples\rBoskoop\rred\rPears\rNo item"),
        styles(run(7, 0, 0x3f_fdff, all, tabs), run(8, 1), run(4, 2), run(6, 0), run(8, 0, 1, shorts(0))),
      ],
      shapes: [outlineBox(0), outlineBox(1)],
    });
    expect(markdown).toBe("## Orchard\n\n- Apples\n  - Boskoop\n    - red\n- Pears\n\nNo item");
  });

  test("have lists in text boxes whose paragraphs have bullets, and paragraphs in others", async () => {
    const shapes = [
      shape(
        box(header(4), text("one\rtwo\rthree"), styles(run(4, 2, 1, shorts(1)), run(4, 3, 1, shorts(1)), run(6, 0))),
      ),
      shape(box(header(4), text("plain"))),
    ];
    expect(await read({ shapes })).toBe("## Slide 1\n\n- one\n  - two\n\nthree\n\nplain");
  });

  test("have links, but for those of a pointer that only passes and those into the presentation", async () => {
    const shapes = [
      shape(
        box(
          header(4),
          text("See the pears\rand apples <now>"),
          link(1, 4, 13),
          link(2, 18, 31),
          link(3, 0, 3),
          link(1, 0, 3, 1),
        ),
      ),
    ];
    const addresses = [
      address(1, "https://example.com/pears"),
      address(2, "mailto:a@example.com"),
      address(3, "256,1,Slide 1"),
    ];
    expect(await read({ shapes, addresses })).toBe(
      "## Slide 1\n\nSee [the pears](https://example.com/pears)\n\nand [apples \\<now>](mailto:a@example.com)",
    );
  });

  test("have tables, by the places of their cells", async () => {
    const rows = table(
      cell(0, 0, 1000, 500, "Fruit"),
      cell(1000, 0, 2000, 500, "2024"),
      cell(2000, 0, 3000, 500, "2025"),
      // A border, which has no text.
      shape(record(0xf00f, numbers(1000, 0, 1000, 1500))),
      // Some writers place cells by one unit off.
      cell(1, 500, 1000, 1500, "Apples"),
      cell(1000, 500, 2001, 1000, "12"),
      cell(2000, 501, 3000, 1000, "14"),
      cell(1000, 1000, 3000, 1500, "none"),
    );
    const markdown = await read({ shapes: [rows, shape(box(header(4), text("below")))] });
    expect(markdown).toBe(
      [
        "## Slide 1",
        "| Fruit | 2024 | 2025 |\n| --- | --- | --- |\n| Apples | 12 | 14 |\n| Apples | none | none |",
        "below",
      ].join("\n\n"),
    );
  });

  test("keep the texts of tables that are no grid, and of groups", async () => {
    const diagonal = Array.from({ length: 2_000 }, (_, at) =>
      cell(at * 10, at * 10, at * 10 + 10, at * 10 + 10, `cell ${at}`),
    );
    const markdown = await read({ shapes: [table(...diagonal)] });
    expect(markdown.match(/^cell \d+$/gm)).toHaveLength(2_000);
    const overlapping = [cell(0, 0, 100, 50, "a"), cell(0, 0, 100, 50, "b")];
    expect(await read({ shapes: [table(...overlapping)] })).toBe("## Slide 1\n\na\n\nb");
    const group = container(0xf003, [shape(), cell(0, 0, 100, 50, "a"), cell(100, 0, 200, 50, "b")]);
    expect(await read({ shapes: [group] })).toBe("## Slide 1\n\na\n\nb");
  });

  test("are read as far as their properties are whole", async () => {
    const whole = styles(run(4, 1, 0x8001, shorts(1)));
    for (const end of [0, 3, 9, 11]) {
      const cutStyles = record(4001, whole.subarray(8, 8 + end));
      const shapes = [
        shape(box(header(1), text("one\rtwo"), cutStyles, record(4063, numbers(0)), record(4082, numbers(0)))),
      ];
      expect(await read({ shapes })).toBe("## Slide 1\n\n- one\n- two");
    }
  });

  test("are read without the slides and notes whose records are cut short", async () => {
    const outline = [header(1), text("one"), record(1011, numbers(2, 0, 0))];
    const noted = container(4080, [record(1011, numbers(2, 0, 0, 256, 0))], 2);
    const shapes = [outlineBox(0), record(1009, shorts(256))];
    expect(await read({ outline, shapes, lists: [noted] })).toBe("## Slide 1\n\n- one");
  });

  test("of which many shapes refer to one text are read within the budget of steps", async () => {
    const outline = [header(4), text("word ".repeat(2_000))];
    const shapes = Array.from({ length: 2_000 }, () => outlineBox(0));
    const markdown = await read({ outline, shapes, budget: new WorkBudget({ steps: 30_000 }) });
    expect(markdown.length).toBeGreaterThan(10_000);
    expect(markdown.length).toBeLessThan(1_500_000);
  });

  test("with a long address that thousands of links have are read within the budget of steps", async () => {
    const links = Array.from({ length: 3_000 }, (_, at) => link(7, at, at + 1));
    const shapes = Array.from({ length: 20 }, () => shape(box(header(4), text("x".repeat(3_000)), ...links)));
    const addresses = [address(7, `https://example.com/${"a".repeat(10_000)}`)];
    const markdown = await read({ shapes, addresses, budget: new WorkBudget({ steps: 1_200_000 }) });
    expect(markdown.length).toBeLessThan(40_000_000);
  });

  test("have one outline text in a text box", async () => {
    const outline = [header(4), text("once")];
    const shapes = [shape(box(...Array.from({ length: 100 }, () => record(3998, numbers(0)))))];
    expect(await read({ outline, shapes })).toBe("## Slide 1\n\nonce");
  });

  test("have tables of many rows, in time linear in their cells", async () => {
    const rows = 20_000;
    const cells = Array.from({ length: rows }, (_, at) => cell(0, at * 1_000, 100, at * 1_000 + 1_000, `row ${at}`));
    const startedMs = process.cpuUsage().user / 1_000;
    const markdown = await read({ shapes: [table(...cells)] });
    expect(markdown).toContain("row 0");
    expect(markdown).toContain("row 19999");
    // A second on a slow machine; each of the rows compared with all others would take more than ten.
    expect(process.cpuUsage().user / 1_000 - startedMs).toBeLessThan(8_000);
  });
});

test("records are counted one by one, and those beyond the budget are named as missing", () => {
  const data = new DataView(new ArrayBuffer(8 * 5_000));
  const parent = { type: RECORDS.document, instance: 0, isContainer: true, data };
  const budget = new WorkBudget({ steps: 100 });
  expect([...childRecords(parent, budget)]).toHaveLength(100);
  expect(budget.cutParts).toEqual(["the text of the slides"]);
  const records = childRecords(parent, new WorkBudget());
  expect(records.next().done).toBe(false);
});

test("texts of the outline are held up to a limit", async () => {
  const budget = new WorkBudget();
  const many = Buffer.alloc(header(1).length * 100_100, header(1));
  const markdown = await read({ outline: [header(1), text("first"), many], shapes: [outlineBox(0)], budget });
  expect(markdown).toContain("first");
  expect(budget.cutParts).toEqual(["the text of the slides"]);
});

describe("edits of a presentation", () => {
  const many = 1_000;
  /**
   * Reads edits of which the first names a sound directory, and each other one the directory at the place that `directoryOf` returns
   * from those of the sound one and of the directories behind it, each of which ends with the stream. Returns the steps.
   */
  const stepsOf = (
    directoryOf: (edit: number, sound: number, others: number) => number,
    budget: WorkBudget,
  ): number => {
    const document = container(1000, []);
    const editBytes = record(4085, numbers(0, 0, 0, 0, 0)).length;
    const placeOf = (edit: number): number => document.length + edit * editBytes;
    const sound = record(6002, numbers((1 << 20) | 1, ...Array.from({ length: many }, () => 0)));
    const others = Array.from({ length: many }, (_, at) =>
      record(6002, new Uint8Array()).fill(0xff, 4, at + 1 < many ? 8 : 4),
    );
    const chain = Array.from({ length: many }, (_, at) => {
      const directory = at === 0 ? placeOf(many) : directoryOf(at, placeOf(many), placeOf(many) + sound.length);
      return record(4085, numbers(0, 0, at + 1 < many ? placeOf(at + 1) : 0, directory, 1));
    });
    const user = record(4086, numbers(0x14, 0xe391c05f, placeOf(0))).subarray(0, 20);
    const stream = Buffer.concat([document, ...chain, sound, ...others]);
    expect(livePptRecords(stream, user, budget).document.type).toBe(RECORDS.document);
    return budget.steps;
  };

  test("read a directory once, however many of them name it", () => {
    const steps = stepsOf((_, sound) => sound, new WorkBudget());
    expect(steps).toBeGreaterThan(2 * many);
    expect(steps).toBeLessThan(3 * many);
  });

  test("end with the budget where their directories overlap", () => {
    const budget = new WorkBudget({ steps: 10_000 });
    expect(stepsOf((edit, _, others) => others + edit * 8, budget)).toBeLessThan(10_010);
    expect(budget.cutParts).toEqual(["the text of the slides"]);
  });
});
