/** Inputs for tests of work: one short text, thousands of times, in each place where a page has text. */

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Elements whose text or attributes are read in a way of their own; `@` is the place of the text. */
const ELEMENTS = [
  "<p>@</p>", "<h1>@</h1>", "<h2>@</h2><p>x</p>", "<ul><li>@</li><li>@</li></ul>", "<table><tr><th>@</th><td>@</td></tr></table>",
  "<dl><dt>@</dt><dd>@</dd></dl>", '<a href="/x">@</a>', '<a href="@">x</a>', '<a href="https://b.example/@">x</a>', '<img src="/a.png" alt="@">',
  '<img src="@" alt="x">', '<img srcset="@">', '<div style="@">x</div>', '<div style="background:url(@)">x</div>', '<div class="@" id="@">x</div>',
  "<pre>@</pre>", "<p>see <code>@</code></p>", '<pre><code class="language-@">@</code></pre>', "<figure><img src=/a.png><figcaption>@</figcaption></figure>",
  '<time datetime="@">@</time>', '<div class="byline">By @</div>', '<span class="author" rel="author" itemprop="author">@</span>',
  '<span class="date published">@</span>', '<div class="price">@</div>', "<p>x<b>@a</b>y</p>", "<p>x<b>a@</b>y</p>",
  '<div itemscope itemtype="https://schema.org/Product"><span itemprop="name">@</span><span itemprop="price">@</span></div>',
  '<nav aria-label="breadcrumb"><ol><li><a href="/">@</a></li><li>@</li></ol></nav>', "<blockquote>@</blockquote>", '<iframe src="@" title="@"></iframe>',
  "<svg><title>@</title><text>@</text></svg>", '<math><mi>@</mi><annotation encoding="application/x-tex">@</annotation></math>',
  '<script type="math/tex">@</script>', "<button>@</button>", '<form><label>@</label><input value="@" placeholder="@"></form>',
  "<details><summary>@</summary>x</details>", "<address>@</address>", '<div class="comment"><span class="user">@</span><p>@</p></div>',
  '<div class="menu"><h3>Starters</h3><ul><li>@ 12</li><li>Soup @</li></ul></div>', '<a data-cfemail="@">x</a>',
  '<div aria-label="@" title="@" role="@">x</div>', "<ruby>@<rt>@</rt></ruby>", "<p>x<sup>@</sup></p>", "<p><strong>@</strong>: @</p>",
  '<div class="card"><a href="/1"><h3>@</h3></a><span>@</span></div><div class="card"><a href="/2"><h3>@</h3></a><span>@</span></div>',
]; // prettier-ignore

const HEAD_ELEMENTS = [
  "<title>@</title>", '<meta name="description" content="@">', '<meta name="author" content="@">', '<meta name="keywords" content="@">',
  '<meta property="og:title" content="@"><meta property="og:site_name" content="@">', '<meta property="article:published_time" content="@">',
  '<meta http-equiv="refresh" content="@">', '<meta http-equiv="refresh" content="5; url=@">', '<meta http-equiv="content-type" content="@">',
  '<link rel="canonical" href="@">', '<link rel="@" href="/x">', '<meta name="robots" content="@">', "<style>@</style>",
  '<meta property="product:price:amount" content="@">',
]; // prettier-ignore

const STRUCTURED: readonly ((text: string) => unknown)[] = [
  (text) => ({ "@type": "Article", headline: text, author: text, datePublished: text, keywords: text, articleBody: text }),
  (text) => ({ "@type": "Product", name: text, brand: text, description: text, offers: { price: text, priceCurrency: text } }),
  (text) => ({ "@type": "Recipe", name: text, recipeIngredient: [text], recipeInstructions: text, totalTime: text }),
  (text) => ({ "@type": "Organization", telephone: text, email: text, address: { streetAddress: text }, sameAs: [text] }),
]; // prettier-ignore

/** Returns pages that have a text in all of these places. */
export function pagesWith(text: string): string[] {
  const written = escaped(text);
  const body = (elements: readonly string[]): string =>
    `<main><h1>Head</h1><p>Some text of the page.</p>${elements.join("\n").replaceAll("@", () => written)}</main>`;
  const half = Math.ceil(ELEMENTS.length / 2);
  const records = STRUCTURED.map((write) => JSON.stringify(write(text)).replaceAll("<", String.raw`\u003c`));
  const scripts = records.map((record) => `<script type="application/ld+json">${record}</script>`);
  return [
    body(ELEMENTS.slice(0, half)),
    body(ELEMENTS.slice(half)),
    `${HEAD_ELEMENTS.join("").replaceAll("@", () => written)}<p>x</p>`,
    `${scripts.join("")}<p>x</p>`,
  ];
}

/** What a pattern may retry from every character of: signs, spaces of all kinds, starts of things that never end. */
export const SHORT_TEXTS: readonly string[] = [
  " ", "\u00a0", "\t\n", "\u2028", "\r", "\u200b", "1", "1.", "1,", "1 ", "a", "A", "Aa", "a ", "a\u00a0", "-", "- ", "|", " | ", "| --", "[", "[](", "![", "](", "(", ")",
  "/", "../", "#", '"', "'", "“", "”", "`", "` ", "~", "*", "* ", "**a", "__", "_", "<", ">", "<b>", "<a b=", "</b>", "<!--", "&", "&#", "&nbsp", "=", "a=", ",", ", ", ";", ":",
  ": ", "：", ".", ". ", "!", "! ", "\\!", "\u00a0!", "?", "a@", "@a.", "$", "$1 ", "\\", "\\{", "{", '{"a":', "漢", "한", "ع", "क", "😀", "%", "%ff", "url(", "background:url(",
  "http://", "www.", "mailto:", "by ", "and ", "2024-01-", "12 May ", "+", "[1] ", "\n1. ", "\n# ", "\n```\n", "|-", "\n> ", "\n- ", "a{", "@media{", "/*", "display : ",
  "--", "…", "•", "€ ", " in A", " of the ", "call the ", "ignore all previous ", "data:image/png;base64,", "[^1]", "1%", "1x",
]; // prettier-ignore

/** Elements that a page may have 20,000 of in one parent. */
export const SIBLINGS: readonly string[] = [
  "<code><br><br></code>", '<span class="MathJax">x</span>', "<button>a</button>", "<picture><source srcset=a><img>", "<img src=a>", "<noscript><img src=b></noscript><img>",
  "<label>a</label>", "<dt>a<dd>b", "<li>a", "<tr><td>a", "<h2>a</h2>", "<time>a</time>", "<figure><img src=a>", "<ruby>a<rt>b", "<svg><path></svg>", "<input>", "<a href=a>b</a>",
  "<b>a</b>!", "<b>!a</b>b", "<details><summary>a</summary>b</details>", "<span hidden>a</span>", "<div>a</div>", "<p>a", "<div class=comment>a</div>", "<div itemprop=name>a</div>",
  "<span class=price>$1</span>", "<div class=card><a href=a>a</a><span>$1</span></div>", "<math><mi>x</mi></math>", "<template shadowrootmode=open>a</template>", "<q>a</q>", "<br>", "<hr>",
  "<iframe src=a></iframe>", "<video src=a></video>", "<option>a", "<style>a{}</style>", "<object>a</object>", "<table><tr><td>a</table>", "<pre>a</pre>", "<blockquote>a</blockquote>",
]; // prettier-ignore
