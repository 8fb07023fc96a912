import type { Case } from "./case.ts";

export const HEADINGS: Case[] = [
  {
    what: "six levels",
    html: "<h1>A</h1><h2>B</h2><h3>C</h3><h4>D</h4><h5>E</h5><h6>F</h6>",
    markdown: "# A\n\n## B\n\n### C\n\n#### D\n\n##### E\n\n###### F",
  },
  { what: "a line break inside", html: "<h2>One<br>Two</h2>", markdown: "## One Two" },
  { what: "bold all through", html: "<h2><b>Bold</b></h2>", markdown: "## Bold" },
  { what: "a permalink", html: '<h2 id="x">Setup <a href="#x">#</a></h2>', markdown: "## Setup" },
  {
    what: "a heading inside a link",
    html: '<a href="/a"><h3>Title</h3><p>Body</p></a>',
    markdown: "### [Title](https://shop.example/a)\n\nBody",
  },
  {
    what: "a link inside a heading",
    html: '<h3><a href="/a">Title</a></h3>',
    markdown: "### [Title](https://shop.example/a)",
  },
  { what: "number signs at the end", html: "<h2>About C#</h2>", markdown: "## About C#" },
  { what: "nothing but an anchor", html: '<h2><a name="x"></a></h2><p>t</p>', markdown: "t" },
];

export const INLINE: Case[] = [
  {
    what: "neighbours that style alone sets apart",
    html: '<p><span class="who">Ann</span><time>today</time></p>',
    markdown: "Ann today",
  },
  {
    what: "two facts that style alone sets apart",
    html: "<div><span>SKU: A2</span><span>MFR: 2020</span></div>",
    markdown: "SKU: A2 MFR: 2020",
  },
  {
    what: "a text cut into pieces anywhere",
    html: "<ul><li><span>thirty colleges f</span><span>or your choice</span></li></ul>",
    markdown: "- thirty colleges for your choice",
  },
  {
    what: "a word cut into pieces outside of a paragraph",
    html: "<div><span>W</span><span>hen we</span></div>",
    markdown: "When we",
  },
  {
    what: "links of a menu",
    html: '<nav><a href="/a">Blog</a><a href="/b">Press</a></nav>',
    markdown: "[Blog](https://shop.example/a) [Press](https://shop.example/b)",
  },
  { what: "a word cut into pieces", html: "<p><span class=x>W</span><span class=x>o</span>rd</p>", markdown: "Word" },
  { what: "bold in quotation marks before a letter", html: "<p><b>「もの」</b>と</p>", markdown: "「**もの**」と" },
  { what: "bold that ends in a bracket of its own", html: "<p><b>a (b)</b>c</p>", markdown: "**a (b**)c" },
  { what: "bold and emphasis", html: "<p><strong>a</strong> <em>b</em></p>", markdown: "**a** _b_" },
  { what: "spaces inside the marks", html: "<p>a<b> b </b>c</p>", markdown: "a **b** c" },
  { what: "neighbouring bolds", html: "<p><b>a</b><b>b</b> c</p>", markdown: "**ab** c" },
  { what: "bold inside bold", html: "<p><b>a <strong>b</strong></b></p>", markdown: "**a b**" },
  { what: "emphasis inside a word", html: "<p>foo<em>bar</em>baz</p>", markdown: "foo*bar*baz" },
  { what: "bold that ends in punctuation before a word", html: "<p><b>Note:</b>text</p>", markdown: "**Note**:text" },
  { what: "bold quoted text before a letter", html: "<p>我<b>「你好」</b>他</p>", markdown: "我「**你好**」他" },
  { what: "bold and emphasis together", html: "<p><b><i>a</i></b></p>", markdown: "**_a_**" },
  { what: "an empty bold", html: "<p>a<b></b>b</p>", markdown: "ab" },
  { what: "deleted text", html: "<p><del>old</del> <s>x</s></p>", markdown: "~~old~~ ~~x~~" },
  {
    what: "superscript and subscript",
    html: "<p>x<sup>2</sup> H<sub>2</sub>O</p>",
    markdown: "x<sup>2</sup> H<sub>2</sub>O",
  },
  {
    what: "a reference",
    html: '<p>fact<sup><a href="#r1">[1]</a></sup></p>',
    markdown: "fact[[1]](https://shop.example/guide/page.html?lang=en#r1)",
  },
  {
    what: "names with underscores",
    html: "<p>use my_var_name and a_b.txt</p>",
    markdown: "use my_var_name and a_b.txt",
  },
  {
    what: "underscores at a word's edge",
    html: "<p>__init__ and _private</p>",
    markdown: "\\_\\_init\\_\\_ and \\_private",
  },
  { what: "asterisks between spaces", html: "<p>2 * 3 * 4</p>", markdown: "2 * 3 * 4" },
  { what: "asterisks at words", html: "<p>*args, **kwargs</p>", markdown: "*args, **kwargs" },
  { what: "entities once", html: "<p>&amp;lt;b&amp;gt; &amp;copy;</p>", markdown: "\\&lt;b\\&gt; \\&copy;" },
  { what: "a literal tag", html: "<p>&lt;div&gt; and a &lt; b</p>", markdown: "\\<div> and a < b" },
  { what: "a literal link", html: "<p>[a](b)</p>", markdown: "[a\\](b)" },
  { what: "square brackets alone", html: "<p>[sic] and a[0]</p>", markdown: "[sic] and a[0]" },
  { what: "a backslash", html: "<p>C:\\new and \\*</p>", markdown: "C:\\new and \\\\*" },
  { what: "keys side by side", html: "<p><kbd>F</kbd><kbd>TAB</kbd><kbd>x</kbd></p>", markdown: "`F` `TAB` `x`" },
  { what: "pieces of code side by side", html: "<p><code>a</code><code>b</code></p>", markdown: "`ab`" },
  { what: "the star of a footnote", html: "<p>within <b>one</b> year.*</p>", markdown: "within **one** year.*" },
  { what: "stars in pairs", html: "<p>*one* or *</p>", markdown: "\\*one\\* or \\*" },
  { what: "a star before marks", html: "<p>*a <b>b</b></p>", markdown: "*a **b**" },
  { what: "a star inside of marks", html: "<p><b>a b*</b> c</p>", markdown: "**a b\\*** c" },
  {
    what: "a star beside code and addresses",
    html: '<p><code>*</code><a href="/*">x</a> a*</p>',
    markdown: "`*`[x](https://shop.example/*) a*",
  },
  { what: "a star alone", html: "<p>*</p>", markdown: "\\*" },
  { what: "an estimate", html: "<p>(~20 euros)</p>", markdown: "(~20 euros)" },
  { what: "tildes in pairs", html: "<p>(~20 or 30~)</p>", markdown: "(\\~20 or 30\\~)" },
  {
    what: "stars of a term and its definition",
    html: "<dl><dt>a *b</dt><dd>c*</dd></dl>",
    markdown: "**a \\*b**  \nc\\*",
  },
  { what: "tildes", html: "<p>~5 and ~~x~~</p>", markdown: "~5 and \\~\\~x\\~\\~" },
  {
    what: "starts of lines",
    html: "<p># a</p><p>1. b</p><p>- c</p><p>&gt; d</p><p>+ e</p><p>---</p>",
    markdown: "\\# a\n\n1\\. b\n\n\\- c\n\n\\> d\n\n\\+ e\n\n\\---",
  },
  { what: "a line break", html: "<p>one<br>two</p>", markdown: "one  \ntwo" },
  { what: "two line breaks", html: "<p>one<br><br>two</p>", markdown: "one\n\ntwo" },
  { what: "white space and no-break spaces", html: "<p>  a\n  b&nbsp;c\t d </p>", markdown: "a b c d" },
  { what: "inline code", html: "<p>run <code>npm i</code> now</p>", markdown: "run `npm i` now" },
  { what: "code with a backtick", html: "<p><code>a`b</code></p>", markdown: "``a`b``" },
  { what: "code that is a backtick", html: "<p><code>`x`</code></p>", markdown: "`` `x` ``" },
  { what: "code with markup signs", html: "<p><code>a*b_c|d</code></p>", markdown: "`a*b_c|d`" },
  {
    what: "a link inside code",
    html: '<p><code><a href="/t">T</a></code></p>',
    markdown: "[`T`](https://shop.example/t)",
  },
  { what: "keys", html: "<p><kbd>Ctrl</kbd>+<kbd>C</kbd></p>", markdown: "`Ctrl`+`C`" },
  { what: "a quotation", html: "<p><q>hi</q></p>", markdown: '"hi"' },
  { what: "ruby", html: "<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby></p>", markdown: "漢(kan)" },
  { what: "sibling blocks", html: "<div>one</div><div>two</div>", markdown: "one\n\ntwo" },
];

export const LINKS: Case[] = [
  {
    what: "a backtick in an address, and code behind",
    html: '<p><a href="/x?q=`">a</a> and <code>b</code></p>',
    markdown: "[a](https://shop.example/x?q=%60) and `b`",
  },
  { what: "relative to the root", html: '<p><a href="/x">t</a></p>', markdown: "[t](https://shop.example/x)" },
  { what: "relative to the page", html: '<p><a href="x">t</a></p>', markdown: "[t](https://shop.example/guide/x)" },
  { what: "without a scheme", html: '<p><a href="//cdn.example/x">t</a></p>', markdown: "[t](https://cdn.example/x)" },
  {
    what: "only a query",
    html: '<p><a href="?p=2">t</a></p>',
    markdown: "[t](https://shop.example/guide/page.html?p=2)",
  },
  {
    what: "a base",
    html: '<base href="https://other.example/b/"><p><a href="c">t</a></p>',
    markdown: "[t](https://other.example/b/c)",
  },
  {
    what: "parentheses in the address",
    html: '<p><a href="/A_(b)">t</a></p>',
    markdown: "[t](https://shop.example/A_(b))",
  },
  { what: "a space in the address", html: '<p><a href="/a b">t</a></p>', markdown: "[t](https://shop.example/a%20b)" },
  {
    what: "brackets in the text",
    html: '<p><a href="/x">[edit] me</a></p>',
    markdown: "[[edit] me](https://shop.example/x)",
  },
  {
    what: "brackets in the text that would be a link",
    html: '<p><a href="/x">[a](b)</a></p>',
    markdown: "[\\[a\\](b)](https://shop.example/x)",
  },
  {
    what: "brackets in the text without their others",
    html: '<p><a href="/x">]a[</a></p>',
    markdown: "[\\]a\\[](https://shop.example/x)",
  },
  {
    what: "the box of a task in the text",
    html: '<ul><li><a href="/x">[x] a</a></li></ul>',
    markdown: "- [\\[x\\] a](https://shop.example/x)",
  },
  {
    what: "line ends in the text",
    html: '<p><a href="/x">\n Multi\n\n line </a></p>',
    markdown: "[Multi line](https://shop.example/x)",
  },
  {
    what: "bold in the text",
    html: '<p><a href="/x"><b>Now</b></a></p>',
    markdown: "[**Now**](https://shop.example/x)",
  },
  { what: "code in place of an address", html: '<p><a href="javascript:void(0)">Click</a></p>', markdown: "Click" },
  { what: "no address", html: "<p><a>Plain</a></p>", markdown: "Plain" },
  { what: "no text", html: '<p>a<a href="/x"></a>b</p>', markdown: "ab" },
  {
    what: "an icon with a label",
    html: '<p><a href="/tw" aria-label="Twitter"><svg><path/></svg></a></p>',
    markdown: "[Twitter](https://shop.example/tw)",
  },
  {
    what: "a picture",
    html: '<p><a href="/x"><img src="/i.png" alt="p"></a></p>',
    markdown: "[![p](https://shop.example/i.png)](https://shop.example/x)",
  },
  {
    what: "mail and telephone",
    html: '<p><a href="mailto:a@b.example">m</a> <a href="tel:+123">t</a></p>',
    markdown: "[m](mailto:a@b.example) [t](tel:+123)",
  },
  {
    what: "behind an exclamation mark",
    html: '<p>Wow!<a href="/x">t</a></p>',
    markdown: "Wow\\![t](https://shop.example/x)",
  },
  {
    what: "a card of blocks",
    html: '<a href="/c"><div><img src="/i.png" alt="pic"></div><div>Title</div><div>Text</div></a>',
    markdown: "![pic](https://shop.example/i.png)\n\n[Title](https://shop.example/c)\n\nText",
  },
  {
    what: "a card of an arrow alone",
    html: '<h3>Agents</h3><p>More</p><a href="/a"><div><img alt="" width="0" height="0" src="/arrow.svg"><svg/></div></a>',
    markdown: "### Agents\n\nMore",
  },
  {
    what: "a card of an arrow with a label",
    html: '<a href="/a" aria-label="Agents"><div><svg/></div></a>',
    markdown: "[Agents](https://shop.example/a)",
  },
  {
    what: "a card of a list",
    html: '<a href="/a"><ul><li>One<br>more</li><li>Two</li><li>Three</li></ul></a>',
    markdown: "- One  \n  more\n- [Two](https://shop.example/a)\n- Three",
  },
  {
    what: "a card of a picture in a list",
    html: '<a href="/a"><ul><li><img src="/i.png" alt="p"></li></ul></a>',
    markdown: "- [![p](https://shop.example/i.png)](https://shop.example/a)",
  },
  {
    what: "a card of a table",
    html: '<a href="/a"><table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table></a>',
    markdown: "| A | B |\n| --- | --- |\n| 1 | 2 |",
  },
  {
    what: "a link inside a link",
    html: '<p><a href="/1">a <a href="/2">b</a></a></p>',
    markdown: "[a](https://shop.example/1) [b](https://shop.example/2)",
  },
];

export const IMAGES: Case[] = [
  { what: "icons without words", html: '<p>a<img src="/i.png" alt="" width="24" height="24"></p>', markdown: "a" },
  { what: "spacers", html: '<p>a<img src="/s.gif" height=1 width=40></p>', markdown: "a" },
  {
    what: "an address and a description",
    html: '<p><img src="i/a.png" alt="An [alt]"></p>',
    markdown: "![An \\[alt\\]](https://shop.example/guide/i/a.png)",
  },
  {
    what: "the largest of a srcset",
    html: '<p><img src="/s.jpg" srcset="/s.jpg 300w, /l.jpg 1200w" alt="x"></p>',
    markdown: "![x](https://shop.example/l.jpg)",
  },
  {
    what: "a lazy picture",
    html: '<p><img src="data:image/gif;base64,R0lGOD" data-src="/a.jpg" alt="q"></p>',
    markdown: "![q](https://shop.example/a.jpg)",
  },
  {
    what: "a placeholder file",
    html: '<p><img src="/img/placeholder.gif" data-original="/a.jpg" alt="q"></p>',
    markdown: "![q](https://shop.example/a.jpg)",
  },
  {
    what: "a twin for readers without scripts",
    html: '<p><img src="data:,x" data-src="/a.jpg" alt="q"><noscript><img src="/a.jpg" alt="q"></noscript></p>',
    markdown: "![q](https://shop.example/a.jpg)",
  },
  {
    what: "a picture element",
    html: '<picture><source srcset="/w.webp 1x"><img src="/f.jpg" alt="p"></picture>',
    markdown: "![p](https://shop.example/f.jpg)",
  },
  {
    what: "base64",
    html: '<p><img src="data:image/png;base64,AAAA" alt="chart"></p>',
    markdown: "![chart](<Base64-Image-Removed>)",
  },
  { what: "a stand-in and nothing else", html: '<p>a<img src="/i/loading-trans.gif" alt=""></p>', markdown: "a" },
  {
    what: "a stand-in with a description",
    html: '<p><img src="/i/loading.gif" alt="Team"></p>',
    markdown: "![Team](https://shop.example/i/loading.gif)",
  },
  {
    what: "a picture that comes again without words",
    html: '<p><img src="/a.png" alt="Logo"> and <img src="/a.png" alt="Our logo"></p><p><img src="/a.png" alt=""></p><p>end</p>',
    markdown: "![Logo](https://shop.example/a.png) and ![Our logo](https://shop.example/a.png)\n\nend",
  },
  {
    what: "a sign that comes again in cells and links",
    html: '<table><tr><th>a</th><th>b</th></tr><tr><td><img src="/y.svg"></td><td><img src="/y.svg"></td></tr></table><p><a href="/1"><img src="/y.svg"></a></p>',
    markdown:
      "| a | b |\n| --- | --- |\n| ![](https://shop.example/y.svg) | ![](https://shop.example/y.svg) |\n\n[![](https://shop.example/y.svg)](https://shop.example/1)",
  },
  { what: "a tracking pixel", html: '<p>a<img src="/t.gif" width="1" height="1"></p>', markdown: "a" },
  {
    what: "a picture whose size is in its sizes or its style",
    html: '<p><img width="0" height="0" sizes="100vw" src="/a.jpg" alt="A"><img width="0" height="0" style="height:auto; width: 100%" src="/b.jpg" alt=""></p>',
    markdown: "![A](https://shop.example/a.jpg)![](https://shop.example/b.jpg)",
  },
  {
    what: "a tracking pixel with a style",
    html: '<p>a<img width="0" height="0" style="max-width:100%;width:0;height:0" src="/t.gif"><img src="/t.gif" width="0" height="0" style="width:1px"></p>',
    markdown: "a",
  },
  {
    what: "a figure with a caption",
    html: '<figure><img src="/f.png" alt="f"><figcaption>The caption</figcaption></figure>',
    markdown: "![f](https://shop.example/f.png)\n\n_The caption_",
  },
  {
    what: "a film in a frame",
    html: '<iframe src="https://www.youtube.com/embed/x" title="How to"></iframe>',
    markdown: "[How to](https://www.youtube.com/embed/x)",
  },
  {
    what: "a document in a frame",
    html: '<iframe src="/files/report.pdf#view=FitH" title="Annual report"></iframe>',
    markdown: "[Annual report](https://shop.example/files/report.pdf#view=FitH)",
  },
  {
    what: "a document without a title in a frame of its host",
    html: '<iframe src="https://docs.google.com/document/d/e/x/pub?embedded=true"></iframe>',
    markdown: "[Document](https://docs.google.com/document/d/e/x/pub?embedded=true)",
  },
  {
    what: "an advertisement in a frame",
    html: '<p>a</p><iframe src="https://ads.example/show?size=300" title="3rd party ad content"></iframe>',
    markdown: "a",
  },
];
