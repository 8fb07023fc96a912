/** A page as news sites send it: a small article inside much else. Seeded, so that every run has the same pages. */

const WORDS =
  "harbour ferry morning council timber winter seagrass keeper lantern market bridge letter island captain ledger tide " +
  "weather window garden copper station paper engine orchard promise village quarter signal meadow chapel record kitchen " +
  "sailor river journey rumour charter printing season festival quarry workshop silence answer evening reason summer the a " +
  "of and to in that it was for on with as his they at be this from had not by but some what there we can out other were " +
  "all your when up use word how said an each she which do their time if will way about many then them would write like so " +
  "these her long make thing see him two has look more day could go come did my sound no most number who over know water";
const VOCABULARY = WORDS.split(" ");

/** Mulberry32: small, fast, and the same everywhere. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface ArticlePage {
  html: string;
  /** A sentence of the article: an answer without it is not this page's. */
  marker: string;
}

type Random = () => number;

/** @param bytes size aimed at, met within some kilobytes; the article itself is about a tenth of a usual page. */
export function articlePage(number: number, bytes = 170_000): ArticlePage {
  const random = seededRandom(number + 1);
  const marker = `This is page ${number} of the Harrow Bay archive.`;
  const title = capitalised(words(random, 6));
  const head = pageHead(random, title, number);
  const chrome = [navigation(random), sidebar(random), footer(random)] as const;
  const article = articleBody(random, { title, marker, paragraphs: 18 });
  const fixedBytes = head.length + chrome.join("").length + article.length;
  // Three parts of four of what is left go to comments, teasers and markup, the rest to scripts that stand between them.
  const filler = fillerBlocks(random, Math.max(0, bytes - fixedBytes));
  const html = `<!doctype html>
<html lang="en">${head}
<body class="page page--article no-js" data-build="${hex(random, 40)}">
${chrome[0]}
<div class="layout" id="layout"><main id="content" class="layout__main" role="main">${article}</main>
${chrome[1]}</div>
${filler}
${chrome[2]}
</body></html>`;
  return { html, marker };
}

/** The same article, put into the page by a script after a request of its own, as single-page applications do. */
export function scriptedPage(number: number): { html: string; data: string; marker: string } {
  const { html, marker } = articlePage(number, 60_000);
  const article = /<article[^]*<\/article>/.exec(html)?.[0] ?? "";
  const shell = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Harrow Bay archive</title>
<style>${styles(seededRandom(number), 40)}</style></head><body><div id="root"></div><noscript>You need to enable JavaScript to run this app.</noscript>
<script>fetch("/app-data/${number}").then((r) => r.json()).then(({ article }) => { document.getElementById("root").innerHTML = "<main>" + article + "</main>"; });</script>
</body></html>`;
  return { html: shell, data: JSON.stringify({ article }), marker };
}

function pageHead(random: Random, title: string, number: number): string {
  const description = sentence(random, 20);
  const data = {
    "@context": "https://schema.org",
    "@type": "NewsArticle",
    headline: title,
    description,
    identifier: number,
  };
  const preloads = repeat(
    12,
    () => `<link rel="preload" href="/static/${hex(random, 20)}.woff2" as="font" crossorigin>`,
  );
  return `<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} | Harrow Bay Courier</title><meta name="description" content="${description}">
<meta property="og:title" content="${title}"><meta property="og:type" content="article"><link rel="icon" href="data:,">
${preloads}<style>${styles(random, 90)}</style>
<script type="application/ld+json">${JSON.stringify(data)}</script><script>${script(random, 3_000)}</script></head>`;
}

function articleBody(random: Random, options: { title: string; marker: string; paragraphs: number }): string {
  const { title, marker, paragraphs } = options;
  const body = repeat(paragraphs, (index) => {
    const lead =
      index % 5 === 4 ? `<h2 class="article__heading" id="s${index}">${capitalised(words(random, 4))}</h2>` : "";
    const aside =
      index % 7 === 3
        ? `<figure class="article__figure"><img src="/images/${hex(random, 12)}.jpg" alt="${words(random, 5)}" width="960" height="540" loading="lazy"><figcaption>${sentence(random, 8)}</figcaption></figure>`
        : "";
    const list = index === 9 ? `<ul>${repeat(5, () => `<li>${sentence(random, 9)}</li>`)}</ul>` : "";
    return `${lead}<p class="article__paragraph">${sentence(random, 14)} <a href="/topics/${words(random, 1)}">${words(random, 2)}</a> ${sentence(random, 18)} ${sentence(random, 22)}</p>${aside}${list}\n`;
  });
  return `<article class="article" itemscope itemtype="https://schema.org/NewsArticle"><header class="article__header"><h1 class="article__title">${title}</h1>
<p class="article__byline">By <a href="/authors/${words(random, 1)}">${capitalised(words(random, 2))}</a> <time datetime="2026-05-17T08:30:00Z">17 May 2026</time></p></header>
<p class="article__paragraph">${marker}</p>${body}</article>`;
}

function navigation(random: Random): string {
  const entry = (): string =>
    `<li class="nav__item"><a class="nav__link" href="/${words(random, 1)}/${words(random, 1)}" data-track="nav:${hex(random, 6)}"><span class="nav__label">${capitalised(words(random, 2))}</span></a></li>`;
  return `<header class="site-header"><a class="logo" href="/"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path(random, 60)}"/></svg>Harrow Bay Courier</a>
<nav class="nav" aria-label="Main"><ul>${repeat(60, entry)}</ul></nav></header>`;
}

function sidebar(random: Random): string {
  return `<aside class="layout__side"><h2>Most read</h2>${repeat(12, () => teaser(random))}<form class="newsletter"><label>Get our letter <input type="email" name="email"></label><button>Sign up</button></form></aside>`;
}

function teaser(random: Random): string {
  return `<div class="card card--small" data-id="${hex(random, 10)}"><a class="card__link" href="/articles/${hex(random, 8)}"><img class="card__image" src="/images/${hex(random, 12)}-160.jpg" alt="" loading="lazy" srcset="/images/${hex(random, 12)}-320.jpg 2x"><h3 class="card__title">${capitalised(words(random, 6))}</h3></a><p class="card__meta">${words(random, 2)} · 4 min read</p></div>\n`;
}

function footer(random: Random): string {
  const column = (): string =>
    `<div class="footer__column"><h4>${capitalised(words(random, 1))}</h4><ul>${repeat(9, () => `<li><a href="/${words(random, 1)}">${words(random, 2)}</a></li>`)}</ul></div>`;
  return `<footer class="footer">${repeat(5, column)}<p class="footer__legal">© 2026 Harrow Bay Courier. ${sentence(random, 14)}</p></footer><script>${script(random, 5_000)}</script>`;
}

/** Comments of readers, teasers and the scripts between them, until the size is reached. */
function fillerBlocks(random: Random, bytes: number): string {
  const blocks: string[] = [];
  for (let size = 0; size < bytes; size += blocks.at(-1)?.length ?? 1) {
    const kind = random();
    if (kind < 0.35)
      blocks.push(`<section class="more"><h2>More from the bay</h2>${repeat(6, () => teaser(random))}</section>\n`);
    else if (kind < 0.7)
      blocks.push(`<section class="comments" id="c-${hex(random, 6)}">${repeat(5, () => comment(random))}</section>\n`);
    else blocks.push(`<script>${script(random, 4_000)}</script>\n<!-- ${hex(random, 60)} -->\n`);
  }
  return blocks.join("");
}

function comment(random: Random): string {
  return `<div class="comment" id="comment-${hex(random, 8)}"><div class="comment__head"><span class="comment__author">${capitalised(words(random, 1))}</span> <time>2 hours ago</time></div><div class="comment__body"><p>${sentence(random, 16)}</p></div><button class="comment__reply" data-for="${hex(random, 8)}">Reply</button></div>\n`;
}

const styles = (random: Random, rules: number): string =>
  repeat(
    rules,
    () => `.c-${hex(random, 5)}{margin:${Math.floor(random() * 40)}px;color:#${hex(random, 6)};display:flex}\n`,
  );

const script = (random: Random, bytes: number): string =>
  `window.__q=window.__q||[];${repeat(Math.ceil(bytes / 70), () => `__q.push(["${hex(random, 8)}",${Math.floor(random() * 1e6)},"${words(random, 4)}"]);`)}`;

const path = (random: Random, points: number): string =>
  `M0 0${repeat(points, () => `L${(random() * 24).toFixed(2)} ${(random() * 24).toFixed(2)}`)}Z`;

function words(random: Random, count: number): string {
  return Array.from({ length: count }, () => VOCABULARY[Math.floor(random() * VOCABULARY.length)]).join(" ");
}

const sentence = (random: Random, count: number): string => `${capitalised(words(random, count))}.`;
const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const hex = (random: Random, length: number): string =>
  Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join("");
const repeat = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join("");
