import { describe, expect, test } from "vitest";
import { readDocument } from "../../../../src/content/documents/read-document.ts";
import { WorkBudget } from "../../../../src/core/work-budget.ts";
import type { FileKind } from "../../../../src/content/documents/read-document.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (kind: FileKind, body: string | Uint8Array, contentType?: string) =>
  readDocument(kind, typeof body === "string" ? encode(body) : body, { contentType, url: "https://example.com/x" });

describe("csv", () => {
  test.each([
    { why: "commas", csv: "Name,Count\nApples,12\n", table: "| Name | Count |\n| --- | --- |\n| Apples | 12 |" },
    {
      why: "semicolons",
      csv: "Name;Count\r\nÄpfel;1,5\r\n",
      table: "| Name | Count |\n| --- | --- |\n| Äpfel | 1,5 |",
    },
    { why: "a delimiter of its own", csv: "sep=|\nA|B\n1|2", table: "| A | B |\n| --- | --- |\n| 1 | 2 |" },
    {
      why: "quotes, line ends and pipes",
      csv: 'A,B\n"x, ""y""","two\nlines"\na|b,',
      table: '| A | B |\n| --- | --- |\n| x, "y" | two<br>lines |\n| a\\|b |  |',
    },
    { why: "short rows", csv: "A,B,C\n1\n1,2", table: "| A | B | C |\n| --- | --- | --- |\n| 1 |  |  |\n| 1 | 2 |  |" },
    {
      why: "empty lines and a byte order mark",
      csv: "\uFEFFA,B\n\n1,2\n,\n",
      table: "| A | B |\n| --- | --- |\n| 1 | 2 |",
    },
    { why: "a delimiter after the last column", csv: "A,B,\n1,2,\n", table: "| A | B |\n| --- | --- |\n| 1 | 2 |" },
    { why: "one column", csv: "A\n1\n2", table: "| A |\n| --- |\n| 1 |\n| 2 |" },
    { why: "nothing", csv: "", table: "" },
  ])("reads a table with $why", async ({ csv, table }) => {
    expect((await read("csv", csv, "text/csv")).markdown).toBe(table);
  });

  test("reads tabs in a tsv, and commas as text", async () => {
    expect((await read("tsv", "A\tB\n1,5\t2")).markdown).toBe("| A | B |\n| --- | --- |\n| 1,5 | 2 |");
  });

  test("decodes the charset of the header", async () => {
    const bytes = Uint8Array.from([0xcf, 0xf0, 0x2c, 0x31]);
    expect((await read("csv", bytes, "text/csv; charset=windows-1251")).markdown).toContain("| Пр | 1 |");
  });

  test("cuts a table of 30,000 rows, and says so", async () => {
    const { markdown, warning } = await read("csv", `A,B\n${"1,2\n".repeat(30_000)}`);
    expect(markdown.split("\n").length).toBe(20_001);
    expect(warning).toBe("The table was cut after 20000 rows and 2 columns.");
  });
});

describe("files without text", () => {
  test.each([
    { kind: "csv", body: ",".repeat(1_000), warning: "The table has no cell with text." },
    {
      kind: "csv",
      body: ",\n".repeat(1_000_000),
      warning: expect.stringContaining("The table has no cell with text."),
    },
    { kind: "tsv", body: "\t\n\t", warning: "The table has no cell with text." },
    { kind: "xml", body: "   \n", warning: "The file has no text." },
    { kind: "json", body: " \n ", warning: "The file has no text." },
    { kind: "text", body: "\n\n", warning: "The file has no text." },
    { kind: "feed", body: `<rss><channel>${"<b>".repeat(900)}`, warning: "The file has no text." },
  ] as const)("$kind: the answer says so", async ({ kind, body, warning }) => {
    const file = await read(kind, body);
    expect(file.markdown.trim()).toBe("");
    expect(file.warning).toEqual(warning);
  });
});

describe("the work for a large text is counted and bounded", () => {
  const MB = 1_000_000;
  test.each([
    { kind: "csv", body: '"a""b",'.repeat(MB), least: 1_400_000, most: 1_600_000, says: "The table was cut" },
    { kind: "json", body: `[${"1,".repeat(2 * MB)}1]`, least: 1_900_000, most: 2_100_000, says: undefined },
    { kind: "xml", body: `<a>${"<b>".repeat(3 * MB)}`, least: 500_000, most: 700_000, says: undefined },
  ] as const)("$kind", async ({ kind, body, least, most, says }) => {
    const budget = new WorkBudget();
    const source = { contentType: undefined, url: "https://example.com/x", budget };
    const { warning } = await readDocument(kind, encode(body), source);
    expect(budget.steps).toBeGreaterThan(least);
    expect(budget.steps).toBeLessThan(most);
    if (says === undefined) expect(warning).toBeUndefined();
    else expect(warning).toContain(says);
  });

  test("JSON is returned as it is when the budget does not allow to indent it", async () => {
    const source = { contentType: undefined, url: "https://example.com/x", budget: new WorkBudget({ steps: 2 }) };
    const { markdown } = await readDocument("json", encode('{"a":[1,2]}'), source);
    expect(markdown).toBe('```json\n{"a":[1,2]}\n```');
  });
});

describe("json, xml and text", () => {
  test.each([
    { why: "indents JSON", json: '{"a":[1,2]}', block: '```json\n{\n  "a": [\n    1,\n    2\n  ]\n}\n```' },
    { why: "keeps JSON that does not parse", json: '{"a":', block: '```json\n{"a":\n```' },
    { why: "keeps lines of JSON", json: '{"a":1}\n{"a":2}\n', block: '```json\n{"a":1}\n{"a":2}\n```' },
    {
      why: "keeps numbers as they are written",
      json: '{"id":12345678901234567890,"price":10.00 , "n":-1e5}',
      block: '```json\n{\n  "id": 12345678901234567890,\n  "price": 10.00,\n  "n": -1e5\n}\n```',
    },
    {
      why: "keeps the order of members, and those of one name",
      json: '{"b":true,"2":null,"1":"a","b":false}',
      block: '```json\n{\n  "b": true,\n  "2": null,\n  "1": "a",\n  "b": false\n}\n```',
    },
    {
      why: "keeps marks in strings, and decodes escaped letters",
      json: String.raw`["a,{\"b\": 1}","Gr\u00fc\u00dfe\/\n\\"]`,
      block: `\`\`\`json\n[\n  ${String.raw`"a,{\"b\": 1}"`},\n  ${String.raw`"Grüße/\n\\"`}\n]\n\`\`\``,
    },
    {
      why: "keeps empty objects and lists on one line",
      json: '{"a":[ ],"b":{\n}, "c":[[]]}\n',
      block: '```json\n{\n  "a": [],\n  "b": {},\n  "c": [\n    []\n  ]\n}\n```',
    },
    { why: "keeps a value alone", json: ' "a" ', block: '```json\n"a"\n```' },
    { why: "makes the fence longer than any inside", json: '["````"]', block: '`````json\n[\n  "````"\n]\n`````' },
  ])("$why", async ({ json, block }) => {
    expect((await read("json", json, "application/json")).markdown).toBe(block);
  });

  test("leaves plain text as it is", async () => {
    const text = "# no heading\n* no list *\n\n<b>no html</b>\n";
    expect((await read("text", text, "text/plain")).markdown).toBe(text);
  });

  test("puts XML into a fenced block", async () => {
    expect((await read("xml", '<?xml version="1.0"?>\n<a>1</a>\n')).markdown).toBe(
      '```xml\n<?xml version="1.0"?>\n<a>1</a>\n```',
    );
  });
});

describe("feeds", () => {
  const RSS = `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
    <title>Garden &amp; more</title><link>https://example.com/</link><description>About gardens</description><language>en</language>
    <item><title>First &lt;b&gt;post&lt;/b&gt;</title><link>https://example.com/1</link><pubDate>Tue, 10 Jun 2003 04:00:00 GMT</pubDate><dc:creator>Ada</dc:creator>
      <description>Short</description><content:encoded><![CDATA[<p>Long <b>text</b> with a <a href="/rel">link</a></p><script>x()</script>]]></content:encoded></item>
    <item><title>Second</title><guid>https://example.com/2</guid><description>A &lt;i&gt;note&lt;/i&gt; on Q&amp;A</description><enclosure url="https://example.com/a.mp3" type="audio/mpeg"/></item>
  </channel></rss>`;

  test("RSS 2.0: the feed, then each item with date, author and its fullest content", async () => {
    const { markdown, metadata } = await read("feed", RSS);
    expect(markdown).toBe(
      "# [Garden & more](https://example.com/)\n\nAbout gardens\n\n" +
        "## [First post](https://example.com/1)\n\n2003-06-10 04:00 · Ada\n\nLong **text** with a [link](https://example.com/rel)\n\n" +
        "## [Second](https://example.com/2)\n\nA _note_ on Q&A\n\n[audio/mpeg](https://example.com/a.mp3)",
    );
    expect(metadata).toEqual({ title: "Garden & more", description: "About gardens", language: "en" });
  });

  test("Atom: text, HTML and XHTML content, and the alternate link", async () => {
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title type="text">Garten</title><link rel="self" href="https://example.com/feed"/><link href="https://example.com/"/>
      <entry><title type="html">&lt;em&gt;Eins&lt;/em&gt;</title><link rel="alternate" href="https://example.com/1"/><updated>2024-01-02T00:00:00Z</updated><author><name>Ada</name></author><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Mit <b>fett</b></p></div></content></entry>
      <entry><title>Zwei</title><summary>1 &lt; 2</summary></entry></feed>`;
    const { markdown, metadata } = await read("feed", atom);
    expect(markdown).toBe(
      "# [Garten](https://example.com/)\n\n## [Eins](https://example.com/1)\n\n2024-01-02 · Ada\n\nMit **fett**\n\n## Zwei\n\n1 < 2",
    );
    expect(metadata).toEqual({ title: "Garten", language: "de" });
  });

  test("RSS 1.0: items beside the channel", async () => {
    const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel><title>Old</title></channel><item><title>One</title><link>https://example.com/1</link></item></rdf:RDF>`;
    expect((await read("feed", rdf)).markdown).toBe("# Old\n\n## [One](https://example.com/1)");
  });

  test("reads a feed with bare ampersands, unknown entities and no end", async () => {
    const broken =
      "<rss><channel><title>A & B&nbsp;C</title><item><title>One</title><description>x &copy; y &lt;br&gt; z";
    const { markdown } = await read("feed", broken);
    expect(markdown).toContain("# A & B C");
    expect(markdown).toContain("## One");
    expect(markdown).toMatch(/x © y\s+\n?z/);
  });
});
