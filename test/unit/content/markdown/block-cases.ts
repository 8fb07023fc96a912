import type { Case } from "./case.ts";

const lines = (...parts: string[]): string => parts.join("\n");

export const LISTS: Case[] = [
  { what: "bullets", html: "<ul><li>a</li><li>b</li></ul>", markdown: "- a\n- b" },
  { what: "numbers from a start", html: '<ol start="5"><li>a</li><li>b</li></ol>', markdown: "5. a\n6. b" },
  {
    what: "an item's own number",
    html: '<ol><li>a</li><li value="7">b</li><li>c</li></ol>',
    markdown: "1. a\n7. b\n8. c",
  },
  {
    what: "a list in an item that goes on counting",
    html: '<ul><li>Steps continued<ol start="4"><li>d</li><li>e</li></ol></li><li>two<ol start="0"><li>z</ol></ul>',
    markdown: "- Steps continued\n\n  4. d\n  5. e\n\n- two\n\n  0. z",
  },
  {
    what: "a list right inside a list that goes on counting",
    html: '<ul><li>a</li><ol start="12"><li>b</li></ol></ul>',
    markdown: "- a\n\n  12. b",
  },
  { what: "numbers that go down", html: "<ol reversed><li>c<li><li>a</ol>", markdown: "- 3\\. c\n- 1\\. a" },
  {
    what: "numbers that go down from a start, and an item's own",
    html: '<ol reversed start="10"><li>a</li><li value="5">b</li><li><pre>c</pre></li></ol>',
    markdown: lines("- 10\\. a", "", "- 5\\. b", "", "- 4\\.", "", "  ```", "  c", "  ```"),
  },
  {
    what: "nesting",
    html: "<ul><li>a<ul><li>b<ol><li>c</li></ol></li></ul></li></ul>",
    markdown: "- a\n  - b\n    1. c",
  },
  {
    what: "a list right inside a list",
    html: "<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>",
    markdown: "- a\n  - b\n- c",
  },
  {
    what: "paragraphs in an item",
    html: "<ul><li><p>p1</p><p>p2</p></li><li><p>q</p></li></ul>",
    markdown: "- p1\n\n  p2\n\n- q",
  },
  {
    what: "code in an item",
    html: '<ol><li>Run:<pre><code class="language-sh">npm i\nnpm t</code></pre></li><li>Done</li></ol>',
    markdown: "1. Run:\n\n   ```sh\n   npm i\n   npm t\n   ```\n\n2. Done",
  },
  {
    what: "a table in an item",
    html: "<ul><li>T<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table></li></ul>",
    markdown: "- T\n\n  | A | B |\n  | --- | --- |\n  | 1 | 2 |",
  },
  {
    what: "tasks",
    html: '<ul><li><input type="checkbox" checked> done</li><li><input type="checkbox"> todo</li></ul>',
    markdown: "- [x] done\n- [ ] todo",
  },
  { what: "text that looks like a task", html: "<ul><li>[x] literal</li></ul>", markdown: "- \\[x] literal" },
  {
    what: "wrapped items",
    html: "<ul><li><div><div>a</div></div></li><li><div>b</div></li></ul>",
    markdown: "- a\n- b",
  },
  { what: "empty items", html: "<ul><li></li><li>a</li></ul>", markdown: "- a" },
  {
    what: "definitions",
    html: "<dl><dt>Term</dt><dd>Meaning</dd><dd>Another</dd></dl>",
    markdown: "**Term**  \nMeaning\n\nAnother",
  },
];

const FENCE = "```";
export const CODE: Case[] = [
  {
    what: "a language class",
    html: '<pre><code class="language-python">def f():\n    return 1\n</code></pre>',
    markdown: lines(`${FENCE}python`, "def f():", "    return 1", FENCE),
  },
  {
    what: "a class of the frame",
    html: '<div class="highlight highlight-source-js"><pre>x()</pre></div>',
    markdown: lines(`${FENCE}js`, "x()", FENCE),
  },
  {
    what: "a data attribute",
    html: '<div class="highlight"><pre><code data-lang="go">x := 1</code></pre></div>',
    markdown: lines(`${FENCE}go`, "x := 1", FENCE),
  },
  {
    what: "highlight.js",
    html: '<pre><code class="hljs typescript">let x</code></pre>',
    markdown: lines(`${FENCE}typescript`, "let x", FENCE),
  },
  {
    what: "a theme that is no language",
    html: '<pre><code class="hljs">x</code></pre>',
    markdown: lines(FENCE, "x", FENCE),
  },
  {
    what: "a fence inside",
    html: "<pre><code>```js\nx\n```</code></pre>",
    markdown: lines("````", "```js", "x", "```", "````"),
  },
  { what: "line breaks", html: "<pre>a<br>b</pre>", markdown: lines(FENCE, "a", "b", FENCE) },
  {
    what: "an element a line",
    html: '<pre><code><div class="token-line">a</div><div class="token-line">b</div></code></pre>',
    markdown: lines(FENCE, "a", "b", FENCE),
  },
  {
    what: "neighbours of a class for lines",
    html: '<pre><code><span class="line"><span>npm i</span></span><span class="line hot"></span><span class="line">cd x</span></code></pre>',
    markdown: lines(FENCE, "npm i", "", "cd x", FENCE),
  },
  {
    what: "lines marked among others, and their language",
    html: '<pre class="gatsby-code-jsx"><code>a\n<span class="gatsby-highlight-code-line">b</span><span class="gatsby-highlight-code-line">c</span>\nd</code></pre>',
    markdown: lines(`${FENCE}jsx`, "a", "b", "c", "d", FENCE),
  },
  {
    what: "neighbours that are set as blocks",
    html: '<pre><span style="display: block">a</span><span style="display: block">b</span></pre>',
    markdown: lines(FENCE, "a", "b", FENCE),
  },
  {
    what: "lines that the source parts itself",
    html: '<pre><span class="line">a\n</span><span class="line">b\n</span><span class="line">c</span></pre>',
    markdown: lines(FENCE, "a", "b", "c", FENCE),
  },
  {
    what: "line breaks between lines",
    html: '<pre><span class="line">a</span>\n<span class="line">b</span></pre>',
    markdown: lines(FENCE, "a", "b", FENCE),
  },
  {
    what: "classes that end alike and mean no lines",
    html: '<pre><span class="underline">a</span><span class="underline">b</span></pre>',
    markdown: lines(FENCE, "ab", FENCE),
  },
  {
    what: "a table with line numbers",
    html: '<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td><td class="code"><pre><span>x=1</span>\n<span>y=2</span></pre></td></tr></table>',
    markdown: lines(FENCE, "x=1", "y=2", FENCE),
  },
  {
    what: "line numbers beside",
    html: '<pre class="line-numbers"><code>a\nb<span class="line-numbers-rows"><span>1</span><span>2</span></span></code></pre>',
    markdown: lines(FENCE, "a", "b", FENCE),
  },
  { what: "a copy button", html: "<pre><code>a</code><button>Copy</button></pre>", markdown: lines(FENCE, "a", FENCE) },
  {
    what: "signs as they are",
    html: "<pre><code>a_b *c* &lt;T&gt; [x](y)</code></pre>",
    markdown: lines(FENCE, "a_b *c* <T> [x](y)", FENCE),
  },
  {
    what: "indentation",
    html: "<pre><code>    indented\n  less</code></pre>",
    markdown: lines(FENCE, "    indented", "  less", FENCE),
  },
  {
    what: "links inside",
    html: '<pre><code>see <a href="/x">x</a></code></pre>',
    markdown: lines(FENCE, "see x", FENCE),
  },
];

export const TABLES: Case[] = [
  {
    what: "a foot in front of the body",
    html: "<table><thead><tr><th>A</th><th>B</th></tr></thead><tfoot><tr><td>sum</td><td>3</td></tr></tfoot><tbody><tr><td>x</td><td>3</td></tr></tbody></table>",
    markdown: "| A | B |\n| --- | --- |\n| x | 3 |\n| sum | 3 |",
  },
  {
    what: "a star in each of the heads that are joined",
    html: "<table><tr><th>*a</th><th>B</th></tr><tr><th>b*</th><th>C</th></tr><tr><td>5*</td><td>2</td></tr></table>",
    markdown: "| \\*a b\\* | B C |\n| --- | --- |\n| 5* | 2 |",
  },
  {
    what: "heads of rows alone",
    html: "<table><tr><th>Width</th><td>3 m</td></tr><tr><th>Height</th><td>2 m</td></tr></table>",
    markdown: "|  |  |\n| --- | --- |\n| Width | 3 m |\n| Height | 2 m |",
  },
  {
    what: "a group of columns and its members",
    html: "<table><tr><th></th><th colspan=2>A</th></tr><tr><th></th><th>small</th><th>big A</th></tr><tr><td>x</td><td>1</td><td>2</td></tr></table>",
    markdown: "|  | A small | A big A |\n| --- | --- | --- |\n| x | 1 | 2 |",
  },
  {
    what: "head and body",
    html: "<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>",
    markdown: "| A | B |\n| --- | --- |\n| 1 | 2 |",
  },
  {
    what: "no head",
    html: "<table><tr><td>A</td><td>B</td></tr><tr><td>1</td><td>2</td></tr></table>",
    markdown: "| A | B |\n| --- | --- |\n| 1 | 2 |",
  },
  {
    what: "a colspan",
    html: '<table><tr><th colspan="2">A</th></tr><tr><td>1</td><td>2</td></tr></table>',
    markdown: "| A | A |\n| --- | --- |\n| 1 | 2 |",
  },
  {
    what: "a rowspan",
    html: '<table><tr><th>A</th><th>B</th></tr><tr><td rowspan="2">x</td><td>1</td></tr><tr><td>2</td></tr></table>',
    markdown: "| A | B |\n| --- | --- |\n| x | 1 |\n| x | 2 |",
  },
  // prettier-ignore
  { what: "a rowspan to the end of its row group", html: "<table><tr><th>A<th>B<tbody><tr><td rowspan=0>x<td>1<tr><td>2<tr><td>3<tbody><tr><td>y<td>4</table>", markdown: "| A | B |\n| --- | --- |\n| x | 1 |\n| x | 2 |\n| x | 3 |\n| y | 4 |" },
  {
    what: "two head rows",
    html: '<table><thead><tr><th colspan="2">S</th></tr><tr><th>a</th><th>b</th></tr></thead><tr><td>1</td><td>2</td></tr></table>',
    markdown: "| S a | S b |\n| --- | --- |\n| 1 | 2 |",
  },
  {
    what: "ragged rows",
    html: "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td></tr></table>",
    markdown: "| A | B |\n| --- | --- |\n| 1 |  |",
  },
  {
    what: "alignment",
    html: '<table><tr><th align="right">A</th><th style="text-align:center">B</th></tr><tr><td>1</td><td>2</td></tr></table>',
    markdown: "| A | B |\n| ---: | :---: |\n| 1 | 2 |",
  },
  {
    what: "a caption",
    html: "<table><caption>Cap</caption><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>",
    markdown: "**Cap**\n\n| A | B |\n| --- | --- |\n| 1 | 2 |",
  },
  {
    what: "pipes",
    html: "<table><tr><th>A</th><th>B</th></tr><tr><td>a|b</td><td><code>c|d</code></td></tr></table>",
    markdown: "| A | B |\n| --- | --- |\n| a\\|b | `c\\|d` |",
  },
  {
    what: "blocks in a cell",
    html: "<table><tr><th>A</th><th>B</th></tr><tr><td><p>x</p><p>y</p></td><td>1<br>2</td></tr></table>",
    markdown: "| A | B |\n| --- | --- |\n| x<br>y | 1<br>2 |",
  },
  {
    what: "a listing in a cell",
    html: "<table><tr><th>A</th><th>B</th></tr><tr><td><pre><code>a\nb</code></pre></td><td>z</td></tr></table>",
    markdown: "| A | B |\n| --- | --- |\n| `a`<br>`b` | z |",
  },
  {
    what: "a table in a cell",
    html: "<table><tr><th>A</th><th>B</th></tr><tr><td><table><tr><td>i</td><td>j</td></tr></table></td><td>b</td></tr></table>",
    markdown: "| A | B |\n| --- | --- |\n| i, j | b |",
  },
  {
    what: "a layout table",
    html: '<table role="presentation"><tr><td><h2>Head</h2><p>Text</p></td></tr></table>',
    markdown: "## Head\n\nText",
  },
  {
    what: "one column",
    html: "<table><tr><td><p>One</p></td></tr><tr><td><p>Two</p></td></tr></table>",
    markdown: "One\n\nTwo",
  },
  {
    what: "empty rows",
    html: "<table><tr><th>A</th><th>B</th></tr><tr><td></td><td></td></tr><tr><td>1</td><td>2</td></tr></table>",
    markdown: "| A | B |\n| --- | --- |\n| 1 | 2 |",
  },
  {
    what: "a link in a cell",
    html: '<table><tr><th>A</th><th>B</th></tr><tr><td><a href="/z">z</a></td><td>1</td></tr></table>',
    markdown: "| A | B |\n| --- | --- |\n| [z](https://shop.example/z) | 1 |",
  },
];

export const QUOTES: Case[] = [
  {
    what: "the source of a quotation",
    html: "<blockquote><cite>Ann wrote:</cite>A</blockquote><blockquote>B <cite>Ben</cite></blockquote>",
    markdown: "> _Ann wrote:_  \n> A\n\n> B  \n> _Ben_",
  },
  { what: "a quote", html: "<blockquote><p>a</p><p>b</p></blockquote>", markdown: "> a\n>\n> b" },
  {
    what: "a quote in a quote",
    html: "<blockquote>x<blockquote>y</blockquote></blockquote>",
    markdown: "> x\n>\n> > y",
  },
  {
    what: "a list in a quote",
    html: "<blockquote><ul><li>a</li><li>b</li></ul></blockquote>",
    markdown: "> - a\n> - b",
  },
];

const KATEX =
  '<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>a</mi></mrow><annotation encoding="application/x-tex">\\frac{a}{b}</annotation></semantics></math></span><span class="katex-html" aria-hidden="true"><span>a</span><span>b</span></span></span>';
export const MATH: Case[] = [
  {
    what: "MathML without TeX",
    html: "<p><math><mfrac><mrow><mo>-</mo><mi>b</mi><mo>±</mo><msqrt><msup><mi>b</mi><mn>2</mn></msup></msqrt></mrow><mrow><mn>2</mn><mi>α</mi></mrow></mfrac></math></p>",
    markdown: "$\\frac{-b\\pm\\sqrt{b^{2}}}{2\\alpha}$",
  },
  {
    what: "MathML with braces, double-struck letters, words and indices on both sides",
    html: "<p><math><mfenced open='{' close='}'><mi>x</mi></mfenced><mo>∈</mo><mi mathvariant='double-struck'>R</mi><mtext> if </mtext><mmultiscripts><mi>F</mi><mn>1</mn><none></none><mprescripts></mprescripts><mn>3</mn><mn>4</mn></mmultiscripts></math></p>",
    markdown: "$\\{x\\}\\in\\mathbb{R}\\text{ if }{}_{3}^{4}F_{1}$",
  },
  {
    what: "MathML with sums, functions, accents and matrices",
    html: "<p><math><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><mi>sin</mi><mi>x</mi><mover><mi>v</mi><mo>→</mo></mover><mtable><mtr><mtd>1</mtd><mtd>2</mtd></mtr></mtable></math></p>",
    markdown: "$\\sum_{i}^{n}\\sin x\\vec{v}\\begin{matrix}1 & 2\\end{matrix}$",
  },
  {
    what: "formulas between delimiters",
    html: "<p>so \\(a_1 * b_2\\) and $$\\frac{1}{2}$$ end</p>",
    markdown: "so $a_1 * b_2$ and\n\n$$\n\\frac{1}{2}\n$$\n\nend",
  },
  {
    what: "delimiters that stand for themselves",
    html: "<p>C:\\[x] for $$ and $$$, \\(</p>",
    markdown: "C:\\\\[x] for $$ and $$$, \\\\(",
  },
  {
    what: "formulas in containers of a question site",
    html: '<p>so <span class="math-container">$\\{x_{1}\\,\\|\\,y_{1} &lt; 2\\}$</span> and <span class="math-container">$$a_1 \\$ b$$</span></p>',
    markdown: "so $\\{x_{1}\\,\\|\\,y_{1} < 2\\}$ and\n\n$$\na_1 \\$ b\n$$",
  },
  {
    what: "containers that hold more than a formula",
    html: '<p><span class="math-container">$5 and $6</span> or <span class="math-container">$$</span></p>',
    markdown: "$5 and $6 or $$",
  },
  { what: "a formula over two lines", html: "<p>so \\(a\n- b\\) holds</p>", markdown: "so $a - b$ holds" },
  { what: "KaTeX in the line", html: `<p>so ${KATEX} holds</p>`, markdown: "so $\\frac{a}{b}$ holds" },
  { what: "KaTeX on display", html: `<div class="katex-display">${KATEX}</div>`, markdown: "$$\n\\frac{a}{b}\n$$" },
  {
    what: "MathJax 2",
    html: '<p>x <span class="MathJax_Preview">x2</span><script type="math/tex">x^2</script></p>',
    markdown: "x $x^2$",
  },
  {
    what: "MathML with alternative text",
    html: '<p><math alttext="x^2"><msup><mi>x</mi><mn>2</mn></msup></math></p>',
    markdown: "$x^2$",
  },
  {
    what: "MediaWiki",
    html: '<p><span class="mwe-math-element"><math alttext="{\\displaystyle E=mc^{2}}"><mi>E</mi></math><img alt="{\\displaystyle E=mc^{2}}" src="/e.svg"></span></p>',
    markdown: "$E=mc^{2}$",
  },
];

export const HYGIENE: Case[] = [
  {
    what: "rules around what is left out",
    html: "<hr><nav hidden>a</nav><hr><p>b</p><hr><hr><p>c</p><hr>",
    markdown: "b\n\n---\n\nc",
  },
  {
    what: "a wiki's edit links",
    html: '<h2>A<span class="mw-editsection">[<a href="/e">edit</a>]</span></h2>',
    markdown: "## A",
  },
  { what: "letters of picture fonts", html: '<p>a <i class="material-icons">arrow_forward</i></p>', markdown: "a" },
  {
    what: "scripts, styles, comments, templates",
    html: "<p>a</p><script>var x</script><style>.a{}</style><!-- c --><template><p>t</p></template>",
    markdown: "a",
  },
  {
    what: "hidden elements",
    html: '<p style="display:none">x</p><p hidden>y</p><p style="visibility: hidden">z</p><p>shown</p>',
    markdown: "shown",
  },
  {
    what: "text for screen readers alone",
    html: '<p>a <span class="sr-only">(opens in a new window)</span></p>',
    markdown: "a",
  },
  { what: "icons", html: "<p>a<svg><title>Icon</title><text>T</text></svg></p>", markdown: "a" },
  {
    what: "form controls",
    html: "<form><select><option>Albania</option></select><textarea>x</textarea><button>Send</button></form><p>t</p>",
    markdown: "t",
  },
  { what: "details", html: "<details><summary>More</summary><p>Body</p></details>", markdown: "**More**\n\nBody" },
  { what: "empty wrappers", html: "<div><p>a</p><div></div><div><br><br></div><p>b</p></div>", markdown: "a\n\nb" },
  { what: "invisible characters", html: "<p>ex\u00ADtra\u200Bord\uFEFFinary</p>", markdown: "extraordinary" },
  { what: "rules", html: "<p>a</p><hr><p>b</p>", markdown: "a\n\n---\n\nb" },
  { what: "nothing", html: "<div><script>x</script></div>", markdown: "" },
];

export const BROKEN: Case[] = [
  {
    what: "unclosed paragraphs and items",
    html: "<p>one<p>two<ul><li>a<li>b</ul>",
    markdown: "one\n\ntwo\n\n- a\n- b",
  },
  { what: "crossed marks", html: "<p><b>bold <i>both</b> it</i> end</p>", markdown: "**bold _both_** it end" },
  { what: "stray closing tags", html: "</div></p><p>a</span></div>b</p>", markdown: "ab" },
  { what: "text behind the body", html: "<html><body><p>x</p></body></html>trailing", markdown: "x\n\ntrailing" },
  { what: "a block in running text", html: "<p><span><div>inner</div></span>tail</p>", markdown: "inner\n\ntail" },
  {
    what: "unclosed cells",
    html: "<table><tr><th>A<th>B<tr><td>1<td>2</table>",
    markdown: "| A | B |\n| --- | --- |\n| 1 | 2 |",
  },
  { what: "an attribute without an end", html: '<p>a <a href="/x>t</a></p>', markdown: "a" },
];
