import { deflateSync } from "node:zlib";

/** Hostile PDFs (ISO 32000-1), each made of a few lines and growing with `n`. */
export const HOSTILE_PDFS = {
  "a content stream that unpacks to n MB of operators": (n) => onePage({ content: flate(spaces(n, "0 0 m\n")) }),
  "flate within flate, n layers": (n) => {
    let data: Buffer = spaces(4, "0 0 m\n");
    for (let layer = 0; layer < n; layer++) data = deflateSync(data, { level: 9 });
    return onePage({ content: { dictionary: `/Filter [${"/FlateDecode ".repeat(n)}]`, data } });
  },
  "run lengths within run lengths, n layers": (n) => {
    const data = Buffer.from(runLengths(n));
    return onePage({ content: { dictionary: `/Filter [${"/RunLengthDecode ".repeat(n)}]`, data } });
  },
  "one content stream that is named n times": (n) =>
    onePage({ content: flate(spaces(0.1, "(word) Tj\n")), contents: `[${"4 0 R ".repeat(n)}]` }),
  "forms that show the next form twice, n deep": (n) => {
    const forms = Array.from({ length: n }, (_, at) =>
      form(at + 1 < n ? "/X Do /X Do" : "BT /F 9 Tf (ha) Tj ET", `/XObject << /X ${FIRST_EXTRA + at + 1} 0 R >>`),
    );
    return onePage({ content: text("/X Do"), resources: `/XObject << /X ${FIRST_EXTRA} 0 R >>`, extra: forms });
  },
  "n lines of text, then forms that show the next form ten times": (n) => {
    const lines = Array.from({ length: n }, (_, at) => `1 0 0 1 50 ${800 - at * 12} Tm (line ${at}) Tj`);
    const forms = Array.from({ length: 30 }, (_, at) =>
      form("/X Do ".repeat(10), `/XObject << /X ${FIRST_EXTRA + ((at + 1) % 31)} 0 R >>`),
    );
    return onePage({
      content: text(`BT /F 9 Tf ${lines.join(" ")} ET /X Do`),
      resources: `/XObject << /X ${FIRST_EXTRA} 0 R >>`,
      extra: forms,
    });
  },
  "forms without text that show the next form ten times, n deep": (n) => {
    const forms = Array.from({ length: n }, (_, at) =>
      form(at + 1 < n ? "/X Do ".repeat(10) : "q Q", `/XObject << /X ${FIRST_EXTRA + at + 1} 0 R >>`),
    );
    return onePage({ content: text("/X Do"), resources: `/XObject << /X ${FIRST_EXTRA} 0 R >>`, extra: forms });
  },
  "forms that show the next form, n deep": (n) => {
    const forms = Array.from({ length: n }, (_, at) =>
      form(at + 1 < n ? "/X Do" : "BT /F 9 Tf (ha) Tj ET", `/XObject << /X ${FIRST_EXTRA + at + 1} 0 R >>`),
    );
    return onePage({ content: text("/X Do"), resources: `/XObject << /X ${FIRST_EXTRA} 0 R >>`, extra: forms });
  },
  "n glyphs of a Type 3 font that show text in that font": (n) =>
    onePage({
      content: text(`BT /F 9 Tf (${"a".repeat(100)}) Tj ET`),
      wholeFont: `/Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [1 0 0 1 0 0] /FirstChar 97 /LastChar 97 /Widths [9] /Encoding << /Differences [97 /g0] >> /CharProcs << ${Array.from({ length: n }, (_, at) => `/g${at} 6 0 R`).join(" ")} >> /Resources << /Font << /F 5 0 R >> >>`,
      extra: [text(`9 0 d0 ${"BT /F 9 Tf (a) Tj ET ".repeat(10)}`)],
    }),
  "a Type 3 font with n operators in a glyph": (n) =>
    onePage({
      content: text("BT /F 9 Tf (aaa) Tj ET"),
      wholeFont:
        "/Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [1 0 0 1 0 0] /FirstChar 97 /LastChar 97 /Widths [9] /Encoding << /Differences [97 /g0] >> /CharProcs << /g0 6 0 R >>",
      extra: [text(`9 0 d0 ${"0 0 m 9 9 l S ".repeat(n)}`)],
    }),
  "a form that shows itself, n times": (n) =>
    onePage({
      content: text("/X Do"),
      resources: `/XObject << /X ${FIRST_EXTRA} 0 R >>`,
      extra: [form("/X Do ".repeat(n), `/XObject << /X ${FIRST_EXTRA} 0 R >>`)],
    }),
  "a page tree that says it has n million pages": (n) => onePage({ count: n * 1_000_000 }),
  "a page tree of n levels": (n) => {
    const nodes = Array.from({ length: n }, (_, at) => ({
      dictionary: `/Type /Pages /Count 1 /Kids [${at + 1 < n ? FIRST_EXTRA + at + 1 : 3} 0 R]`,
    }));
    return onePage({ kids: `${FIRST_EXTRA} 0 R`, extra: nodes });
  },
  "a page tree in a circle, with n kids": (n) => onePage({ kids: "2 0 R ".repeat(n), count: n }),
  "n pages of one page": (n) => onePage({ kids: "3 0 R ".repeat(n), count: n }),
  "a character map of n full ranges": (n) => {
    const map = `1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n${"1 beginbfrange\n<0000> <ffff> <0041>\nendbfrange\n".repeat(n)}`;
    return onePage({
      content: text("BT /F 9 Tf (word) Tj ET"),
      font: "/ToUnicode 6 0 R",
      extra: [flate(Buffer.from(map))],
    });
  },
  "glyphs that stand for n characters": (n) => {
    const map = `1 begincodespacerange\n<00> <ff>\nendcodespacerange\n1 beginbfchar\n<61> <${"0062".repeat(n)}>\nendbfchar\n`;
    const shown = `BT /F 0.1 Tf (${"a".repeat(5_000)}) Tj ET`;
    return onePage({ content: text(shown), font: "/ToUnicode 6 0 R", extra: [flate(Buffer.from(map))] });
  },
  "widths of n hundred million characters": (n) =>
    onePage({
      content: text("BT /F 9 Tf <0041> Tj ET"),
      wholeFont: "/Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /DescendantFonts [6 0 R]",
      extra: [
        {
          dictionary: `/Type /Font /Subtype /CIDFontType2 /BaseFont /A /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /W [0 ${n * 100_000_000} 500]`,
        },
      ],
    }),
  "a function of n × n × n samples": (n) =>
    onePage({
      content: text("/C cs 0.5 scn 0 0 9 9 re f BT /F 9 Tf (word) Tj ET"),
      resources: "/ColorSpace << /C [/Separation /Gold /DeviceGray 6 0 R] >>",
      extra: [
        {
          dictionary: `/FunctionType 0 /Domain [0 1 0 1 0 1] /Range [0 1] /Size [${n} ${n} ${n}] /BitsPerSample 8`,
          data: Buffer.from("abc"),
        },
      ],
    }),
  "n annotations": (n) => {
    const link = "<< /Type /Annot /Subtype /Link /Rect [0 0 600 800] /A << /S /URI /URI (https://example.com/) >> >>";
    return onePage({ content: text("BT /F 9 Tf 50 50 Td (word) Tj ET"), page: `/Annots [${link.repeat(n)}]` });
  },
  "n pages that share n annotations": (n) => {
    const link = "<< /Type /Annot /Subtype /Link /Rect [0 0 600 800] /A << /S /URI /URI (https://example.com/) >> >>";
    return onePage({
      kids: "3 0 R ".repeat(n),
      count: n,
      page: "/Annots 6 0 R",
      extra: [{ dictionary: "", array: link.repeat(n) }],
    });
  },
  "a highlight of n areas over n words": (n) => {
    const words = Array.from({ length: n }, (_, at) => `1 0 0 1 ${(at * 37) % 590} ${(at * 91) % 830} Tm (w${at}) Tj`);
    const areas = "0 800 600 800 0 0 600 0 ".repeat(n);
    return onePage({
      content: flate(Buffer.from(`BT /F 3 Tf ${words.join("\n")} ET`)),
      page: `/Annots [<< /Type /Annot /Subtype /Highlight /Rect [0 0 600 800] /QuadPoints [${areas}] >>]`,
    });
  },
  "n notes of free text that show a form": (n) => {
    const note =
      "<< /Type /Annot /Subtype /FreeText /Rect [0 0 600 800] /DA (/F 9 Tf) /Contents (note) /AP << /N 6 0 R >> >>";
    const appearance = form("BT /F 9 Tf (ha) Tj ET ".repeat(n), "");
    return onePage({ page: `/Annots [${note.repeat(n)}]`, extra: [appearance] });
  },
  "n pages that show n forms": (n) =>
    onePage({
      kids: "3 0 R ".repeat(n),
      count: n,
      content: text("/X Do ".repeat(n)),
      resources: "/XObject << /X 6 0 R >>",
      extra: [form("q Q", "")],
    }),
  "n fonts of one page": (n) => {
    const names = Array.from({ length: n }, (_, at) => at);
    return onePage({
      content: text(`BT ${names.map((at) => `/F${at} 9 Tf (word) Tj`).join(" ")} ET`),
      fonts: names.map((at) => `/F${at} << /Type /Font /Subtype /Type1 /BaseFont /A${at} >>`).join(" "),
    });
  },
  "n tilings that are painted": (n) =>
    onePage({
      content: text("/Pattern cs /P scn 0 0 9 9 re f ".repeat(n)),
      resources: "/Pattern << /P 6 0 R >>",
      extra: [
        {
          dictionary: "/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 9 9] /XStep 9 /YStep 9 /Resources << >>",
          data: Buffer.from("0 0 m 9 9 l S ".repeat(n)),
        },
      ],
    }),
  "n pictures in a line": (n) =>
    onePage({ content: flate(Buffer.from("BI /W 9 /H 9 /BPC 8 /CS /G ID 0123456789 EI ".repeat(n))) }),
  "n paragraphs of marked content in n groups": (n) =>
    onePage({
      content: text(`${"/Span << /ActualText (a) >> BDC ".repeat(n)}BT /F 9 Tf (word) Tj ET${" EMC".repeat(n)}`),
    }),
  "n words that one long text stands for": (n) =>
    onePage({
      content: flate(Buffer.from(`BT /F 9 Tf ${"12 0 Td /Span /P BDC (a) Tj EMC\n".repeat(n)} ET`)),
      resources: `/Properties << /P << /ActualText (${"text ".repeat(100_000)}) >> >>`,
    }),
  "n words with a text of their own": (n) => {
    const word = `12 0 Td /Span << /ActualText (${"text ".repeat(39)}) >> BDC (a) Tj EMC\n`;
    return onePage({ content: flate(Buffer.from(`BT /F 9 Tf ${word.repeat(n)} ET`)) });
  },
  "n entries of an outline": (n) =>
    onePage({
      catalog: `/Outlines << /First ${FIRST_EXTRA} 0 R >>`,
      extra: Array.from({ length: n }, (_, at) => ({
        dictionary: `/Title (t) /Next ${FIRST_EXTRA + ((at + 1) % n)} 0 R`,
      })),
    }),
  "arrays within arrays, n deep": (n) => onePage({ page: `/Nest ${"[".repeat(n)}${"]".repeat(n)}` }),
  "dictionaries within dictionaries of a stream, n deep": (n) =>
    onePage({ content: text(`/P ${"<< /A ".repeat(n)} 1 ${">>".repeat(n)} BDC BT /F 9 Tf (word) Tj ET EMC`) }),
  "n words all over a page": (n) => {
    const words = Array.from({ length: n }, (_, at) => `1 0 0 1 ${(at * 37) % 590} ${(at * 91) % 830} Tm (w${at}) Tj`);
    return onePage({ content: flate(Buffer.from(`BT /F 3 Tf ${words.join("\n")} ET`)) });
  },
  "n rows of a table that is none": (n) => {
    const rows = Array.from(
      { length: n },
      (_, at) => `1 0 0 1 20 ${(n - at) * 5} Tm (a${at}) Tj 1 0 0 1 ${60 + (at % 7) * 31} ${(n - at) * 5} Tm (b) Tj`,
    );
    return onePage({ content: flate(Buffer.from(`BT /F 3 Tf ${rows.join("\n")} ET`)) });
  },
  "states that are saved n times": (n) => onePage({ content: flate(Buffer.from("q ".repeat(n))) }),
  "a file without cross references, and an object n times": (n) =>
    Buffer.from(`%PDF-1.4\n${"1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\n".repeat(n)}trailer\n<< /Root 1 0 R >>\n`),
  "n trailers": (n) =>
    Buffer.from(`%PDF-1.4\n1 0 obj\n<< /Pages 2 0 R >>\nendobj\n${"trailer\n<< /Root 1 0 R >>\nxref\n".repeat(n)}`),
  "cross references that lead back, n tables": (n) => chainOfTables(n, "loop"),
  "a chain of n tables of cross references": (n) => chainOfTables(n, "end"),
  "an object stream that unpacks to n MB": (n) => objectStream(spaces(n, "<< /A 1 >> ")),
} satisfies Record<string, (n: number) => Buffer>;

export type HostilePdf = keyof typeof HOSTILE_PDFS;

/** Objects 1 to 5 are the catalogue, the page tree, the page, its content and its font. */
const FIRST_EXTRA = 6;

interface PdfObject {
  dictionary: string;
  data?: Buffer;
  /** Entries of an array, which the object is instead of a dictionary. */
  array?: string;
}

interface Page {
  content?: PdfObject;
  contents?: string;
  kids?: string;
  count?: number;
  catalog?: string;
  page?: string;
  resources?: string;
  font?: string;
  fonts?: string;
  wholeFont?: string;
  extra?: PdfObject[];
}

/** A file of one page, with whatever is odd about it. */
function onePage(odd: Page): Buffer {
  const font = odd.wholeFont ?? `/Type /Font /Subtype /Type1 /BaseFont /Helvetica ${odd.font ?? ""}`;
  return assemble([
    { dictionary: `/Type /Catalog /Pages 2 0 R ${odd.catalog ?? ""}` },
    { dictionary: `/Type /Pages /Kids [${odd.kids ?? "3 0 R"}] /Count ${odd.count ?? 1}` },
    {
      dictionary: `/Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F 5 0 R ${odd.fonts ?? ""} >> ${odd.resources ?? ""} >> /Contents ${odd.contents ?? "4 0 R"} ${odd.page ?? ""}`,
    },
    odd.content ?? text("BT /F 9 Tf 50 50 Td (word) Tj ET"),
    { dictionary: font },
    ...(odd.extra ?? []),
  ]);
}

function text(operators: string): PdfObject {
  return { dictionary: "", data: Buffer.from(operators) };
}

function flate(data: Buffer): PdfObject {
  return { dictionary: "/Filter /FlateDecode", data: deflateSync(data, { level: 9 }) };
}

function form(operators: string, resources: string): PdfObject {
  return {
    dictionary: `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F 5 0 R >> ${resources} >>`,
    data: Buffer.from(operators),
  };
}

function spaces(megabytes: number, piece: string): Buffer {
  return Buffer.alloc(Math.ceil(megabytes * 1024 * 1024), piece);
}

/** 128 copies of a byte, whose own code is written as 128 copies, and so on. */
function runLengths(layers: number): number[] {
  let data = Array.from({ length: 64 }, () => [129, 0x20]).flat();
  for (let layer = 1; layer < layers && data.length < 100_000; layer++) data = data.flatMap((byte) => [129, byte]);
  return data;
}

/** Puts numbered objects, the table of cross references and the trailer into one file. */
function assemble(objects: readonly PdfObject[]): Buffer {
  const parts: Buffer[] = [Buffer.from("%PDF-1.5\n")];
  let position = 9;
  const offsets: number[] = [];
  for (const [at, { dictionary, data, array }] of objects.entries()) {
    const stream = data === undefined ? [] : [Buffer.from(`\nstream\n`), data, Buffer.from("\nendstream")];
    const length = data === undefined ? "" : ` /Length ${data.length}`;
    const whole = Buffer.concat([
      Buffer.from(`${at + 1} 0 obj\n${array === undefined ? `<< ${dictionary}${length} >>` : `[${array}]`}`),
      ...stream,
      Buffer.from("\nendobj\n"),
    ]);
    offsets.push(position);
    position += whole.length;
    parts.push(whole);
  }
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${entries}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${position}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

function chainOfTables(n: number, end: "loop" | "end"): Buffer {
  const body = "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n";
  const tables: string[] = [];
  let position = body.length;
  let previous = end === "loop" ? body.length : undefined;
  for (let at = 0; at < n; at++) {
    const back = previous === undefined ? "" : ` /Prev ${previous}`;
    const table = `xref\n0 1\n0000000000 65535 f \ntrailer\n<< /Size 3 /Root 1 0 R${back} >>\n`;
    previous = position;
    tables.push(table);
    position += table.length;
  }
  return Buffer.from(`${body}${tables.join("")}startxref\n${previous ?? 0}\n%%EOF\n`);
}

/** The catalogue stands in an object stream behind much else. */
function objectStream(filling: Buffer): Buffer {
  const data = deflateSync(
    Buffer.concat([Buffer.from("1 0 "), Buffer.from("<< /Type /Catalog /Pages 2 0 R >> "), filling]),
    {
      level: 9,
    },
  );
  const head = `%PDF-1.5\n5 0 obj\n<< /Type /ObjStm /N 1 /First 4 /Filter /FlateDecode /Length ${data.length} >>\nstream\n`;
  const tail = "\nendstream\nendobj\n";
  const at = head.length + data.length + tail.length;
  const row = (type: number, second: number): Buffer =>
    Buffer.from([type, second >> 16, (second >> 8) & 255, second & 255, 0]);
  const rows = Buffer.concat([row(0, 0), row(2, 5), row(0, 0), row(0, 0), row(0, 0), row(1, 9), row(1, at)]);
  const table = `6 0 obj\n<< /Type /XRef /Size 7 /W [1 3 1] /Root 1 0 R /Length ${rows.length} >>\nstream\n`;
  return Buffer.concat([
    Buffer.from(head),
    data,
    Buffer.from(tail + table),
    rows,
    Buffer.from(`\nendstream\nendobj\nstartxref\n${at}\n%%EOF\n`),
  ]);
}
