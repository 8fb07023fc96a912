import fc from "fast-check";
import { expect, test } from "vitest";
import { parseHtml, textOf, walkElements, type ElementNode } from "../../../../../src/content/html/tree/tree.ts";
import { sampleCount, shortAndLong } from "../../../../sample.ts";

/** A tree in brackets: `p(a b(c))`. */
function sketch(element: ElementNode): string {
  return element.children
    .map((child) => (typeof child === "string" ? child : `${child.tag}(${sketch(child)})`))
    .join("");
}

const parsed = (html: string): string => sketch(parseHtml(html).root);

test.each([
  { why: "open paragraphs end before blocks", html: "<p>a<p>b<ul><li>x<li>y</ul>c", tree: "p(a)p(b)ul(li(x)li(y))c" },
  { why: "items end items, through what is open", html: "<ul><li><div>a<li>b</ul>", tree: "ul(li(div(a))li(b))" },
  {
    why: "items of inner lists do not end outer ones",
    html: "<li>a<ul><li>b</ul>c<li>d",
    tree: "li(aul(li(b))c)li(d)",
  },
  { why: "terms and definitions end each other", html: "<dl><dt>a<dd>b<dt>c</dl>", tree: "dl(dt(a)dd(b)dt(c))" },
  {
    why: "rows and cells end each other",
    html: "<table><tr><td>a<td>b<tr><td>c</table>d",
    tree: "table(tr(td(a)td(b))tr(td(c)))d",
  },
  {
    why: "an inner table stays in its cell",
    html: "<table><tr><td><table><tr><td>a</table>b<td>c</table>",
    tree: "table(tr(td(table(tr(td(a)))b)td(c)))",
  },
  {
    why: "end tags do not reach out of a cell",
    html: "<div><table><tr><td>a</div>b</table>",
    tree: "div(table(tr(td(ab))))",
  },
  { why: "links end links", html: "<a>a <a>b</a>c", tree: "a(a )a(b)c" },
  { why: "bold ends with the block that it is closed in", html: "<b>x<div>y</b>z</div>w", tree: "b(xdiv(yz))w" },
  { why: "crossed phrases", html: "<b>x<i>y</b>z</i>w", tree: "b(xi(y))zw" },
  { why: "a paragraph ends with its dialog", html: "<dialog><p>a</dialog>b", tree: "dialog(p(a))b" },
  { why: "stray end tags", html: "</div>a</span>b</td>c", tree: "abc" },
  { why: "a stray end of a paragraph is one", html: "a</p>b", tree: "ap()b" },
  { why: "a stray end of a line break is one", html: "a</br>b", tree: "abr()b" },
  { why: "any heading's end ends a heading", html: "<h2>a</h3>b", tree: "h2(a)b" },
  { why: "text ends the head", html: "<head><title>t</title>x", tree: "head(title(t))x" },
  {
    why: "a body without an end of the head",
    html: "<html><head><title>t</title><body>x",
    tree: "html(head(title(t))body(x))",
  },
  { why: "text behind the body", html: "<body><p>a</p></body></html><p>b", tree: "body(p(a)p(b))" },
  { why: "a second body", html: "<body>a<body>b", tree: "body(ab)" },
  { why: "a form in a form", html: "<form>a<form>b</form>c", tree: "form(ab)c" },
  {
    why: "a form that ends in a table",
    html: "<form><table><tr><td>a</form>b</table>c",
    tree: "form(table(tr(td(ab)))c)",
  },
  { why: "options end options", html: "<select><option>a<option>b</select>c", tree: "select(option(a)option(b))c" },
  { why: "ruby texts end each other", html: "<ruby>a<rp>(<rt>b<rp>)</ruby>", tree: "ruby(arp(()rt(b)rp()))" },
  { why: "self-closing in SVG", html: "<svg><path/><g/></svg>a", tree: "svg(path()g())a" },
  { why: "a drawing and a formula that close themselves", html: "<svg/><p>a</p><math/>b", tree: "svg()p(a)math()b" },
  {
    why: "styles and scripts of SVG that close themselves",
    html: "<svg><style/><script/></svg><h1>a</h1><svg><style></svg>b",
    tree: "svg(style()script())h1(a)svg(style())b",
  },
  { why: "no self-closing in HTML", html: "<div/>a", tree: "div(a)" },
  { why: "HTML ends SVG", html: "<svg><path><div>a</div>b", tree: "svg(path())div(a)b" },
  {
    why: "HTML in a foreign object",
    html: "<svg><foreignObject><p>a</foreignObject></svg>b",
    tree: "svg(foreignobject(p(a)))b",
  },
  { why: "comments and declarations", html: "<!doctype html>a<!-- b -->c<!x>d<?e?>f", tree: "acdf" },
  { why: "CDATA before a tag", html: "<![CDATA[<p>a</p>]]>", tree: "p(a)]]>" },
  { why: "a frame left open in a noscript", html: "<noscript><iframe src=x></noscript>a", tree: "noscript(iframe())a" },
  { why: "entities, once", html: "&lt;b&gt; &amp;lt; &eacute;&#x65e5;", tree: "<b> &lt; é日" },
  {
    why: "white space between elements is one character",
    html: "<b>a</b> \n\t <i>b</i>   <u>c</u>",
    tree: "b(a)\ni(b) u(c)",
  },
  { why: "white space in listings stays", html: "<pre> \n  a</pre>", tree: "pre( \n  a)" },
  { why: "scripts and styles have no text", html: "<script>a<b></script><style>c</style>d", tree: "script()style()d" },
  { why: "formulas in scripts have", html: '<script type="math/tex">a<b</script>', tree: "script(a<b)" },
])("$why", ({ html, tree }) => {
  expect(parsed(html)).toBe(tree);
});

test("attributes have lower-case names and decoded values, the first of each name", () => {
  const { root } = parseHtml('<a HREF="/x?a=1&amp;b=2" href=y Data-X=\'q"\' hidden title=>t</a>');
  expect(root.children[0]).toMatchObject({
    attributes: { href: "/x?a=1&b=2", "data-x": 'q"', hidden: "", title: "" },
  });
});

test("attributes know no names but their own", () => {
  const [element] = parseHtml("<p id=a>").root.children as ElementNode[];
  expect(element?.attributes["constructor"]).toBeUndefined();
  expect("toString" in (element?.attributes ?? {})).toBe(false);
  const [other] = parseHtml("<p __proto__=x constructor=y>").root.children as ElementNode[];
  expect(other?.attributes["constructor"]).toBe("y");
});

test("the head is noted, wherever its parts stand", () => {
  const { head } = parseHtml(`<html lang="pt-BR"><head><title>A &amp; B</title><meta name=x content=1><base href=/b/>
    <base href=/c/><link rel=icon href=i.png></head><body><svg><title>no</title></svg><title>late</title>
    <meta itemprop=y content=2><script type="application/ld+json">{"a": 1}</script></body></html>`);
  expect(head).toMatchObject({
    title: "A & B",
    language: "pt-BR",
    baseHref: "/b/",
    metas: [
      { name: "x", content: "1" },
      { itemprop: "y", content: "2" },
    ],
    links: [{ rel: "icon", href: "i.png" }],
    jsonLd: ['{"a": 1}'],
  });
});

for (const { tags, entries } of shortAndLong(
  ["div", "b", "ul><li", "table><tr><td", "blockquote", "span", "a", "svg", "form", "button"],
  (_, at) => at % 3 === 0,
))
  test.each(entries)("50,000 nested <%s> make a tree of at most 512 levels that loses no text", { tags }, (tag) => {
    const { root } = parseHtml(`${`<${tag}>x`.repeat(50_000)}end`);
    expect(textOf(root)).toBe(`${"x".repeat(50_000)}end`);
    let deepest = 0;
    walkElements(root, (element) => {
      let depth = 0;
      for (let parent = element.parent; parent !== undefined && depth < 600; parent = parent.parent) depth++;
      deepest = Math.max(deepest, depth);
    });
    expect(deepest).toBeLessThanOrEqual(513);
  });

test("whatever is parsed, text outside of tags is kept, in order, and parents know their children", () => {
  const tag = fc.constantFrom(
    "p",
    "b",
    "a",
    "li",
    "ul",
    "table",
    "tr",
    "td",
    "form",
    "h1",
    "svg",
    "div",
    "button",
    "dd",
  );
  const piece = fc.oneof(
    tag.map((name) => `<${name}>`),
    tag.map((name) => `</${name}>`),
    fc.constantFrom("<br>", "<body>", "<head>", "</html>", "w1 ", "w2 ", "w3 ", "&amp;"),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const { root } = parseHtml(pieces.join(""));
      const words = pieces
        .join("")
        .replace(/<[^>]*>/g, "")
        .replaceAll("&amp;", "&");
      expect(textOf(root)).toBe(words);
      walkElements(root, (element) => {
        for (const child of element.children) if (typeof child !== "string") expect(child.parent).toBe(element);
      });
    }),
    { numRuns: sampleCount(200, 50, 500) },
  );
});

function chain(root: ElementNode): ElementNode[] {
  const elements: ElementNode[] = [];
  for (let element: ElementNode | undefined = root; element !== undefined; element = element.next)
    elements.push(element);
  return elements;
}

function walked(root: ElementNode): ElementNode[] {
  const elements: ElementNode[] = [];
  walkElements(root, (element) => elements.push(element));
  return elements;
}

test.each([
  {
    why: "whatever is closed, implied or ignored",
    html: "<p>a<div><b>b</p></br><table><tr><td>c<td>d</table><svg><path/></svg></div><form><form><p>e</form>f<i>g",
  },
  { why: "below the deepest level", html: `${"<div>".repeat(600)}<b>x</b><p>y</p>` },
])("each element leads to the next in document order, $why", ({ html }) => {
  const { root, elementCount } = parseHtml(html);
  const elements = chain(root);
  expect(elements).toHaveLength(elementCount + 1);
  expect(walked(root).every((element, index) => element === elements[index])).toBe(true);
});
