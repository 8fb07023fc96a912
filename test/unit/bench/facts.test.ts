import { describe, expect, test } from "vitest";
import { type PageFacts, readPageFacts, scorePage } from "../../bench/facts/measure.ts";
import { FIELDS, FURTHER_FIELDS } from "../../bench/facts/schemas.ts";
import { scoreFacts, sumFacts } from "../../bench/facts/score-facts.ts";

test("178 pages have facts of known fields, 30 of them kept aside and 40 unseen", () => {
  const pages = readPageFacts();
  expect(new Set(pages.map(({ url }) => url)).size).toBe(178);
  expect(pages.filter(({ half }) => half === "kept aside")).toHaveLength(30);
  expect(pages.filter(({ half }) => half === "unseen")).toHaveLength(40);
  for (const { kind, half, facts } of pages) {
    const fields = half === "unseen" ? { ...FIELDS[kind], ...FURTHER_FIELDS } : FIELDS[kind];
    expect(Object.keys(fields ?? {})).toEqual(expect.arrayContaining(Object.keys(facts)));
  }
});

describe("scoreFacts", () => {
  test("counts wrong, missing and invented values", () => {
    const score = scoreFacts({ a: "x", b: "y", d: 3 }, { a: "X", b: "z", c: "w" }, ["a", "b", "c", "d"]);
    expect({ ...score, notes: score.notes.length }).toEqual({ given: 3, expected: 3, right: 1, notes: 3 });
  });

  test("takes alternatives, beginnings, and values that may be left out", () => {
    const facts = { a: ["one", "two"], b: { starts: ["The sea"] }, c: ["three", null], d: "?" };
    expect(scoreFacts({ a: "Two", b: "The sea wall", d: 1 }, facts, ["a", "b", "c", "d"])).toMatchObject({
      given: 2,
      expected: 2,
      right: 2,
    });
    expect(scoreFacts({ c: "four" }, facts, ["c"])).toMatchObject({ given: 1, expected: 1, right: 0 });
  });
});

/** Pages of the kinds of the labelled set, made up: the same layouts with the same traps. */
const PAGES: (PageFacts & { html: string })[] = [
  {
    url: "https://bay.example/news/wall",
    kind: "article",
    html: `<title>The wall moves | The Bay</title><meta property="og:site_name" content="The Bay">
      <meta name="description" content="The council chose retreat."><meta property="article:modified_time" content="2026-05-09T10:00:00Z">
      <h1>The Bay</h1><h1>The wall moves</h1><p class="meta">By Nia Pritchard on May 1, 2026 | 4 min read</p><p>It moves.</p>
      <aside><h3 class="title">Related stories</h3><p class="description">Sign up for our letter</p></aside>`,
    facts: {
      title: "The wall moves",
      author: "Nia Pritchard",
      datePublished: "2026-05-01",
      publisher: "The Bay",
      description: "The council chose retreat.",
    },
  },
  {
    url: "https://hob.example/p/falcon",
    kind: "product",
    html: `<title>Falcon kettle - Hob</title><script type="application/ld+json">{"@type":"Product","name":"Falcon kettle","sku":"F1",
      "brand":{"@type":"Brand","name":"Hob"},"description":"A copper kettle.","offers":{"@type":"Offer","price":"49.00","priceCurrency":"GBP"}}</script>
      <h1>Falcon kettle</h1><p>Sold by: <a href="/s">Copper Ltd</a></p><ul><li class="price">£9.00</li><li class="price">£7.00</li></ul>`,
    facts: {
      title: "Falcon kettle",
      brand: "Hob",
      sku: "F1",
      price: 49,
      currency: "GBP",
      description: "A copper kettle.",
    },
  },
  {
    url: "https://forum.example/t/1",
    kind: "thread",
    html: `<title>Which kettle? - Forum</title><h1>Which kettle?</h1><script type="application/ld+json">{"@type":"DiscussionForumPosting",
      "headline":"Which kettle?","datePublished":"2026-02-03T10:00:00Z","author":{"@type":"Person","name":"copper_fan"},
      "comment":[{"@type":"Comment","text":"The Falcon, $40.","author":{"@type":"Person","name":"tea"}}]}</script><p>I have $40.</p>`,
    facts: { title: "Which kettle?", author: "copper_fan", datePublished: "2026-02-03" },
  },
  {
    url: "https://www.fitfix.example/repair",
    kind: "service",
    html: `<title>Treadmill repair | FitFix</title><meta name="author" content="fitfix.com"><meta name="description" content="We repair treadmills.">
      <h1>Treadmill repair</h1><p>Call us: (217) 555-4344</p><p>Flat rates, no $65 an hour.</p><h4>Company</h4><ul><li><a href="/a">About us</a></li><li><a href="/n">News</a></li></ul>`,
    facts: {
      title: "Treadmill repair",
      company: "FitFix",
      phone: "(217) 555-4344",
      description: "We repair treadmills.",
    },
  },
  {
    url: "https://www.shop.example/c/care",
    kind: "listing",
    html: `<title>Care sets &#8211; Shop</title><h1>Care sets</h1>
      ${["Big pack", "Small trio"].map((name) => `<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">${name}</b><div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><meta itemprop="price" content="8800"></div></div>`).join("")}`,
    facts: { title: "Care sets" },
  },
  {
    url: "https://www.coats.example/loke",
    kind: "product",
    html: `<title>Loke jacket | coats.example</title><script type="application/ld+json">{"@type":"ProductGroup","name":"Loke jacket",
      "productGroupID":"L1","brand":{"@type":"Brand","name":"Coats"},"description":"A jacket for every kind of weather and mountain.",
      "hasVariant":[${["S", "M"].map((size) => `{"@type":"Product","name":"Loke ${size}","sku":"L1-${size}","offers":{"@type":"Offer","price":130,"priceCurrency":"USD"}}`).join(",")}]}</script>
      <meta name="author" content="coats"><h1>Loke jacket</h1><p>Written by our research team</p><p>Call +1 866-555-5902</p>`,
    facts: {
      title: "Loke jacket",
      brand: "Coats",
      sku: "L1",
      price: 130,
      currency: "USD",
      description: { starts: ["A jacket for every"] },
    },
  },
  {
    url: "https://www.steam.example/news/1",
    kind: "article",
    html: `<title>Shares tick up - The Steam</title><meta property="og:site_name" content="The Steam"><meta name="description" content="The numbers of May are there, and they tick up a little.">
      <h1>Shares tick up&shy;<a href="#top">¶</a></h1><p>Written by Nia Pritchard in Valves on 1 June 2019 at 08:34 PM. 51 comments</p>
      <p>Filing price: $9, to be paid every two years in cash</p>`,
    facts: {
      title: "Shares tick up",
      author: "Nia Pritchard",
      datePublished: "2019-06-01",
      publisher: "The Steam",
      description: { starts: ["The numbers of May"] },
    },
  },
];

test("made-up pages of the same kinds reach the precision and recall that real ones must", () => {
  const scores = PAGES.map((page) => scorePage({ ...page, fields: FIELDS[page.kind] }));
  expect(scores.flatMap(({ notes }) => notes)).toEqual([]);
  const { precision, recall } = sumFacts(scores);
  expect(precision).toBeGreaterThanOrEqual(0.97);
  expect(recall).toBeGreaterThanOrEqual(0.85);
});
