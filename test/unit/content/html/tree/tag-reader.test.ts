import fc from "fast-check";
import { Tokenizer } from "htmlparser2";
import { expect, test } from "vitest";
import { readTags } from "../../../../../src/content/html/tree/tag-reader.ts";
import { sampleCount } from "../../../../sample.ts";

type Event = string;

/** Tags and texts in order, neighbouring texts as one. */
function eventsOf(html: string): Event[] {
  const events: Event[] = [];
  let foreign = 0;
  readTags(html, {
    get isForeign() {
      return foreign > 0;
    },
    openTag(tag, attributes) {
      events.push(`<${tag}${attributesOf(attributes)}>`);
      if (tag === "svg") foreign++;
    },
    closeTag(tag) {
      events.push(`</${tag}>`);
      if (tag === "svg") foreign = Math.max(0, foreign - 1);
    },
    text: (text) => addText(events, text),
  });
  return events;
}

function attributesOf(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}=${JSON.stringify(value)}`)
    .join("");
}

function addText(events: Event[], text: string): void {
  if (events.at(-1)?.startsWith("#") === true) events[events.length - 1] += text;
  else events.push(`#${text}`);
}

/** The same from htmlparser2's tokenizer, which visits character by character. */
function referenceEventsOf(html: string): Event[] {
  const events: Event[] = [];
  let tag = "";
  let attributes: Record<string, string> = {};
  let name = "";
  let value = "";
  const open = () => {
    events.push(`<${tag === "image" ? "img" : tag}${attributesOf(attributes)}>`);
  };
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname: (start, end) => {
        tag = html.slice(start, end).toLowerCase();
        attributes = {};
      },
      onattribname: (start, end) => {
        name = html.slice(start, end).toLowerCase();
        value = "";
      },
      onattribdata: (start, end) => {
        value += html.slice(start, end);
      },
      onattribentity: (codePoint) => {
        value += String.fromCodePoint(codePoint);
      },
      onattribend: () => {
        attributes[name] ??= value;
      },
      onopentagend: open,
      onselfclosingtag: open,
      onclosetag: (start, end) => events.push(`</${html.slice(start, end).toLowerCase()}>`),
      ontext: (start, end) => addText(events, html.slice(start, end)),
      ontextentity: (codePoint) => addText(events, String.fromCodePoint(codePoint)),
      oncdata: () => {},
      oncomment: () => {},
      ondeclaration: () => {},
      onprocessinginstruction: () => {},
      onend: () => {},
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return events;
}

// Entities come behind a space: in a title htmlparser2 misses one right behind "</".
const PIECES = [
  ..."abc <>/=\"'!-?&;#x\n\t".split(""),
  "<p>",
  "</p>",
  "<a href=",
  "<!--",
  "-->",
  "--!>",
  "<!-->",
  "<!doctype html>",
  "<?xml ?>",
  "</",
  "/>",
  " &amp;",
  " &lt",
  " &notit;",
  " &#8212;",
  " &#x1F600;",
  "<script>",
  "</script",
  "</SCRIPT >",
  "<title>",
  "</title>",
  "<TextArea x>",
  "</textarea>",
  "<style a='>'>",
  "</style>",
  "<B ID=x id=y>",
  " checked ",
  '="a&quot;b"',
  "='c'",
  "=d/e",
  "ünï",
  "</ p>",
];

test("any soup of tags is read as htmlparser2 reads it", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }), (pieces) => {
      // What the end of the source cuts off is told apart in other places; an ended paragraph leaves nothing open.
      const html = `${pieces.join("")}'"--></script></title></textarea></style></p>`;
      // htmlparser2 ends a script at the first end tag, also one of a script that the text writes.
      fc.pre(!/<script>.*<!--.*<script/is.test(html));
      expect(eventsOf(html)).toEqual(referenceEventsOf(html));
    }),
    { numRuns: sampleCount(1000, 300, 3000) },
  );
});

test.each([
  { what: "a tag that the end cuts off", html: "a<p>b<a href='x", events: ["#a", "<p>", "#b"] },
  { what: "a comment without an end", html: "a<!-- b <p>c", events: ["#a"] },
  { what: "a script without an end", html: "<script>a<b>", events: ["<script>", "#a<b>"] },
  {
    what: "a script that a script's comment writes",
    html: "<script><!-- write('<script src=x></script>') --></script>b",
    events: ["<script>", "#<!-- write('<script src=x></script>') -->", "</script>", "#b"],
  },
  {
    what: "a script whose comment has ended",
    html: "<script><!-- a --> '<script>' </script>b",
    events: ["<script>", "#<!-- a --> '<script>' ", "</script>", "#b"],
  },
  {
    what: "scripts within comments that the page does not end",
    html: "<script><!-- <script></script>a<script><!-- <script></script>b",
    events: ["<script>", "#<!-- <script>", "</script>", "#a", "<script>", "#<!-- <script>", "</script>", "#b"],
  },
  { what: "a lone mark at the end", html: "a <", events: ["#a <"] },
  { what: "text after plaintext", html: "<plaintext>a</plaintext><b>", events: ["<plaintext>", "#a</plaintext><b>"] },
  { what: "a CDATA mark before a tag", html: "<![CDATA[ <p>a]]>", events: ["# ", "<p>", "#a]]>"] },
  { what: "CDATA in HTML", html: "a<![CDATA[b]]>c", events: ["#ac"] },
  { what: "CDATA without an end in HTML", html: "a<![CDATA[ b ><p>c", events: ["#a", "<p>", "#c"] },
  { what: "CDATA with a far end in HTML", html: "a<![CDATA[ b ><p>c]]>", events: ["#a", "<p>", "#c]]>"] },
  { what: "CDATA with a sign in HTML", html: "a<![CDATA[b>c]]>d<p>", events: ["#ad", "<p>"] },
  { what: "CDATA in SVG", html: "<svg><![CDATA[a<b]]></svg>", events: ["<svg>", "#a<b", "</svg>"] },
  {
    what: "a title in SVG",
    html: "<svg><title>a<b></title></svg>",
    events: ["<svg>", "<title>", "#a", "<b>", "</title>", "</svg>"],
  },
  {
    what: "a frame left open in a noscript",
    html: "<noscript><iframe src=a> </noscript><p>b",
    events: ["<noscript>", '<iframe src="a">', "</iframe>", "# ", "</noscript>", "<p>", "#b"],
  },
])("reads $what", ({ html, events }) => {
  expect(eventsOf(html)).toEqual(events);
});

test("a megabyte of marks that begin nothing, or never end, is read in linear time", () => {
  for (const piece of [
    "<",
    "</",
    "<!",
    "<a ",
    "<a b=",
    "<!--",
    "--",
    "<script></scrip",
    "&",
    "<![CDATA[",
    "<![CDATA[x",
    "<![CDATA[>",
  ]) {
    expect(eventsOf(piece.repeat(1_000_000 / piece.length)).length).toBeLessThan(1_000_000);
  }
});

test.each([
  { source: "a&amp;b&amp;amp;c", text: "a&b&amp;c" },
  { source: "?a=1&amp;b=2&lt=3&copy;", text: "?a=1&b=2&lt=3©" },
  { source: "&amp", text: "&" },
])("entities are decoded once: $source", ({ source, text }) => {
  const found: string[] = [];
  readTags(`<i title="${source}">`, {
    isForeign: false,
    openTag: (_tag, attributes) => found.push(attributes["title"] ?? ""),
    closeTag() {},
    text() {},
  });
  expect(found).toEqual([text]);
});

test("white space is marked as blank, unless entities stand for it", () => {
  const texts: [string, boolean][] = [];
  readTags("<p> \n\t</p>&#32;<b>&nbsp;</b> a <i>\u00a0</i>", {
    isForeign: false,
    openTag: () => undefined,
    closeTag: () => undefined,
    text: (text, isBlank = false) => texts.push([text, isBlank]),
  });
  expect(texts).toEqual([
    [" \n\t", true],
    [" ", false],
    ["\u00a0", false],
    [" a ", false],
    ["\u00a0", false],
  ]);
});
