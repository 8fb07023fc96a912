import { describe, expect, test } from "vitest";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";
import { leastProcessorMs } from "../../../../processor-time.ts";
import { scanBody } from "../../../../../src/content/structured-data/sources/scan-body.ts";
import { openHtml } from "../../../../../src/content/read-html.ts";
import { readStructuredData } from "../../../../../src/content/structured-data/read-structured-data.ts";
import { fillSchema } from "../../../../../src/content/structured-data/schema/fill-schema.ts";
import { shapeOf } from "../../../../../src/content/structured-data/schema/schema-shape.ts";

const PAGE = "https://bay.example/repair/pumps";
const TEXT = { type: "string" };
const ADDRESS = { type: "string", format: "uri" };

function fill(html: string, properties: Record<string, object>, url = PAGE): unknown {
  const data = readStructuredData(openHtml(html, url));
  return fillSchema(shapeOf({ type: "object", properties }), data).value;
}

function jsonLd(...records: object[]): string {
  return records.map((record) => `<script type="application/ld+json">${JSON.stringify(record)}</script>`).join("");
}

describe("the description", () => {
  const OF_PAGE = "We repair pumps in your harbour within a day.";
  const LONG = "Repair of pumps in all harbours of the northern bay";
  const head = (title: string): string =>
    `<title>${title}</title><meta name="description" content="${OF_PAGE}"><h1>${title}</h1>`;

  test.each([
    [
      "the publisher's",
      { "@type": "LocalBusiness", name: "Bay Works", description: "Since 1989 the first address for boats and pumps." },
    ],
    ["cut", { "@type": "Article", name: "Pump repair", description: "Harbours cannot do without pumps, valves," }],
    ["the name again", { "@type": "Product", name: LONG, description: `${LONG} (2026)` }],
  ])("is the head's where that of the mark-up is %s", (_, record) => {
    const title = record.name === LONG ? LONG : "Pump repair";
    expect(fill(head(title) + jsonLd(record), { description: TEXT })).toEqual({ description: OF_PAGE });
  });

  test("of an organization is that of its own page", () => {
    const record = {
      "@type": "LocalBusiness",
      name: "Bay Works",
      description: "Since 1989 the first address for boats and pumps.",
    };
    const own = { description: record.description };
    expect(fill(head("About Bay Works") + jsonLd(record), { description: TEXT })).toEqual(own);
    expect(fill(head("Pumps") + jsonLd(record), { description: TEXT }, "https://bay.example/")).toEqual(own);
  });
});

describe("the image", () => {
  const og = `<meta property="og:image" content="https://bay.example/media/wall.jpg">`;

  test.each([
    `<img class="hero" src="/media/other.jpg">`,
    `<header><img class="logo__img" src="/logo.svg"></header>`,
    jsonLd({ "@type": "Organization", name: "The Bay", image: "https://bay.example/favicon.png" }),
  ])("is the one that the head names, not %s", (other) => {
    const html = `<title>The wall moves</title>${og}<h1>The wall moves</h1>${other}`;
    expect(fill(html, { image: ADDRESS })).toEqual({ image: "https://bay.example/media/wall.jpg" });
  });

  test.each([
    `<img class="img-thumbnail" src="/media/any.jpg">`,
    `<img class="avatar photo" src="/people/7.jpg">`,
    `<img class="object-fit-cover icon" src="/i/7.webp">`,
    `<img class="product-image" src="/static/placeholder.png">`,
    `<meta property="og:image" content="https://s.example/i/blank.jpg">`,
  ])("is not %s", (picture) => {
    expect(fill(`<title>The wall</title>${picture}<h1>The wall</h1>${picture}`, { image: ADDRESS })).toBeUndefined();
  });

  test("is the main picture of a page whose head names none", () => {
    const html = `<title>Kettle</title><h1>Kettle</h1><img class="product-image" src="/media/kettle.jpg">`;
    expect(fill(html, { image: ADDRESS })).toEqual({ image: "https://bay.example/media/kettle.jpg" });
  });
});

test("the name of the site is the one that the head gives, not the company behind it", () => {
  const html = `<title>Two walls</title><meta property="og:site_name" content="The Bay"><h1>Two walls</h1>${jsonLd({
    "@type": "NewsArticle",
    headline: "Two walls",
    publisher: { "@type": "Organization", name: "Bay Media House" },
  })}`;
  expect(fill(html, { siteName: TEXT, publisher: TEXT })).toEqual({
    siteName: "The Bay",
    publisher: "Bay Media House",
  });
});

test.each([
  ["The Bay", "https://bay.example/news", "The Bay"],
  ["Bay - What happens at sea", "https://bay.example/news", "Bay"],
  ["The Sea Journal - Harbour School", "https://bay.example/news", "The Sea Journal - Harbour School"],
  ["Bay Tools -", "https://baytools.example/", "Bay Tools"],
  ["https://www.bay.example/", "https://bay.example/news", undefined],
])("the site that calls itself %s at %s has the name %s", (given, url, siteName) => {
  const html = `<title>Two walls</title><meta property="og:site_name" content="${given}"><h1>Two walls</h1>`;
  expect(fill(html, { title: TEXT, siteName: TEXT }, url)).toEqual({
    title: "Two walls",
    ...(siteName && { siteName }),
  });
});

test("a byline on the first page of a site is that of a post", () => {
  const html = `<title>The Bay</title><h1>The Bay</h1><div class="post"><b>Pumps</b><p class="author">By Ada Lovelace</p></div>`;
  expect(fill(html, { author: TEXT }, "https://bay.example/")).toBeUndefined();
  expect(fill(html, { author: TEXT }, "https://bay.example/pumps")).toEqual({ author: "Ada Lovelace" });
});

test("the price in the head is the page's, one in the text may be that of another thing", () => {
  const head = `<title>Dryer</title><meta property="product:price:amount" content="101.97">`;
  const html = `${head}<h1>Dryer</h1><p>Or take the travel dryer:</p><span class="price">$59.97</span>`;
  expect(fill(html, { price: { type: "number" } })).toEqual({ price: 101.97 });
});

test("a price of 0 is none where the offer says something else", () => {
  const page = (description: object): string =>
    `<title>Pump watch</title><h1>Pump watch</h1>${jsonLd({
      "@type": "SoftwareApplication",
      name: "Pump watch",
      offers: { "@type": "Offer", price: "0", priceCurrency: "EUR", ...description },
    })}`;
  expect(fill(page({ description: "Contact us" }), { price: { type: "number" } })).toBeUndefined();
  expect(fill(page({ description: "Free for schools" }), { price: { type: "number" } })).toEqual({ price: 0 });
  expect(fill(page({}), { price: { type: "number" } })).toEqual({ price: 0 });
});

test.each([
  [
    "company",
    `<h3>Study skills and organization</h3><p>${"Learn how to take notes and to plan your work. ".repeat(3)}</p>`,
  ],
  [
    "sku",
    `<table><tr><td>Sku, color</td><td>SKU = CDM / Color = Black</td></tr><tr><td>Legs</td><td>4</td></tr></table>`,
  ],
  ["siteName", `<div class="company">About us Awards Press Testimonials Jobs Imprint</div>`],
  ["image", `<img class="main photo" src="/email/default_photo.png">`],
  ["description", `<meta name="description" content="wf">`],
  ["author", `<footer><p class="author">Made on the islands with care by Harbour Works</p></footer>`],
])("a text that cannot be the %s is left out: %s", (name, part) => {
  const shape = name === "image" ? ADDRESS : TEXT;
  expect(fill(`<title>Pumps</title>${part}<h1>Pumps</h1>${part}`, { [name]: shape })).toBeUndefined();
});

describe("the e-mail address behind a link", () => {
  const html = `<title>Which pump?</title><h1>Which pump?</h1><footer><a href="mailto:webmaster@bay.example">The Bay</a></footer>`;

  test("is not that of a text with an author", () => {
    expect(fill(html, { author: TEXT, datePublished: TEXT, email: TEXT })).toBeUndefined();
  });

  test("is that of a site whose contacts are asked for", () => {
    const email = "webmaster@bay.example";
    expect(fill(html, { email: TEXT })).toEqual({ email });
    expect(fill(html, { author: TEXT, company: TEXT, email: TEXT })).toMatchObject({ email });
  });
});

test("a price on a page of several products is not the price of the page", () => {
  const card = (name: string, price: number): string =>
    `<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">${name}</b><span class="price">£${price}</span></div>`;
  const html = `<title>Care sets</title><h1>Care sets</h1>${card("Big pack", 88)}${card("Small trio", 42)}`;
  expect(fill(html, { price: { type: "number" } })).toBeUndefined();
});

describe("the telephone number", () => {
  test.each([
    [`<p>Phone: +1 (833) 555-3633 9 am - 9 pm EST</p>`, "+1 (833) 555-3633"],
    [`<p class="phone">0431 1234567</p>`, "0431 1234567"],
  ])("is read from %s without what follows", (part, phone) => {
    expect(fill(`<title>Bay</title><h1>Bay</h1>${part}`, { phone: TEXT })).toEqual({ phone });
  });

  test("is no rating in an element for mobile devices", () => {
    const html = `<title>Headset</title><h1>Headset</h1><div class="mobile"><b>Headset</b> <span>3.9 (1408)</span></div>`;
    expect(fill(html, { phone: TEXT })).toBeUndefined();
  });
});

test("several names of one author record are several authors, without their links", () => {
  const names = ["Ada Lovelace", "Mary Somerville"].map((name) => `<a href="/people" hreflang="en">${name}</a>`);
  const html = `<h1>Engines</h1>${jsonLd({ "@type": "Article", headline: "Engines", author: { "@type": "Person", name: names } })}`;
  expect(fill(html, { author: TEXT })).toEqual({ author: "Ada Lovelace, Mary Somerville" });
});

test.each([
  ["Reviewed in Wales on 4 March 2026", "4 March 2026"],
  ["Posted May 1, 2026 at 8:30 am by Ada", "May 1, 2026 at 8:30 am"],
  ["3 – 5 May 2026", "3 – 5 May 2026"],
  ["From 12 May 2026 to 14 May 2026", "From 12 May 2026 to 14 May 2026"],
])("of the date %s the value is %s", (text, value) => {
  const html = `<title>A pump</title><h1>A pump</h1><dl><dt>Date published</dt><dd>${text}</dd></dl>`;
  expect(fill(html, { datePublished: TEXT })).toEqual({ datePublished: value });
});

describe("a list", () => {
  const PRODUCTS = {
    type: "array",
    items: { type: "object", properties: { name: TEXT, price: { type: "number" }, url: ADDRESS }, required: ["name"] },
  };
  const links = (names: string): string =>
    names
      .split(" ")
      .map((name) => `<li><a href="/${name}">${name}</a></li>`)
      .join("");
  const page = (body: string): string => `<title>The shop</title><h1>The shop</h1>${body}`;

  test.each([
    `<ul class="links">${links("Pumps Valves Careers Imprint")}</ul>`,
    `<footer><h3>Product support</h3><ul>${links("Manuals Repairs Returns")}</ul></footer>`,
    `<div class="product-tabs">${["Reviews", "Use", "Contents"].map((tab) => `<div class="product-tab"><h3><a href="#${tab}">${tab}</a></h3><p class="note">Open</p></div>`).join("")}</div>`,
    `<div class="rates">${["$ 80,22", "€ 90,38", "¥ 11,06"].map((rate) => `<div class="rate"><h3><a href="/rates?${rate.length}">${rate}</a></h3><span class="price">${rate}</span></div>`).join("")}</div>`,
    `<div class="promo">${["", "€ 10 off"].map((offer) => `<div class="offer"><h3><a href="/join${offer.length}">Offers</a></h3><span class="price">${offer}</span><p class="note">New</p></div>`).join("")}</div>`,
    `<div class="questions">${["Can I return it?", "Is it new?", "Is it blue?"].map((q) => `<div class="q"><h3>${q}</h3><a href="#${q.length}">more</a></div>`).join("")}</div>`,
  ])("of products is not a row of links: %s", (body) => {
    expect(fill(page(body), { products: PRODUCTS })).toBeUndefined();
  });

  test("of products without prices is a row that is called so", () => {
    const cards = ["Pump", "Valve", "Hose"].map(
      (name) => `<div class="product-card"><h3><a href="/p/${name}">${name}</a></h3><p class="note">New</p></div>`,
    );
    const value = fill(page(`<div>${cards.join("")}</div>`), { products: PRODUCTS });
    expect(value).toEqual({
      products: ["Pump", "Valve", "Hose"].map((name) => ({ name, url: `https://bay.example/p/${name}` })),
    });
  });

  test("has no headings between its items", () => {
    const card = (inner: string): string => `<div class="product-card">${inner}</div>`;
    const item = (name: string, price: number): string =>
      card(`<h3><a href="/p/${name}">${name}</a></h3><span class="price">€${price}</span>`);
    const heading = card(`<h3>All our things</h3><p class="description">They come from the bay and its islands.</p>`);
    const body = `<div>${heading}${item("Pump", 10)}${item("Valve", 20)}${item("Hose", 30)}</div>`;
    const { products } = fill(page(body), { products: PRODUCTS }) as { products: { name: string }[] };
    expect(products.map(({ name }) => name)).toEqual(["Pump", "Valve", "Hose"]);
  });

  test("of links alone may be any row", () => {
    const properties = { title: TEXT, url: ADDRESS };
    const html = page(`<ul class="links">${links("Pumps Valves Careers")}</ul>`);
    const value = fill(html, { links: { type: "array", items: { type: "object", properties } } });
    expect(value).toMatchObject({ links: [{ title: "Pumps" }, { title: "Valves" }, { title: "Careers" }] });
  });
});

describe("many things with properties of their own", () => {
  const word = (at: number): string => `w${(at * 7919).toString(36)}x`;
  const things = (type: (at: number) => string): object[] =>
    Array.from({ length: 300 }, (_, at) => ({ "@type": type(at), name: word(at), [word(at + 1)]: word(at + 2) }));
  const wanted = (description: (at: number) => string) =>
    Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`${word(at)} ${word(at + 9)}`, { ...TEXT, description: description(at) }]),
    );
  const work = (type: (at: number) => string, description: (at: number) => string): (() => unknown) => {
    const data = readStructuredData(openHtml(jsonLd(...things(type)), "https://bay.example/"));
    return () => fillSchema(shapeOf({ type: "object", properties: wanted(description) }), data);
  };
  const long = (at: number): string => Array.from({ length: 200 }, (_, next) => word(at + next + 5_000)).join(" ");

  test("are compared with long descriptions in little more time than with none", async () => {
    const none = await leastProcessorMs(
      work(
        (at) => `Type${at}`,
        () => "",
      ),
      0,
    );
    // The words of a description were read again for each thing: forty times as long.
    expect(
      await leastProcessorMs(
        work((at) => `Type${at}`, long),
        none * 8,
      ),
    ).toBeLessThan(none * 8);
  });

  test("cost nothing for a subject that they cannot be: a row of like things", () => {
    const data = readStructuredData(openHtml(jsonLd(...things(() => "Product")), "https://bay.example/"));
    const budget = new WorkBudget();
    fillSchema(shapeOf({ type: "object", properties: wanted(() => "") }), data, budget);
    expect(budget.steps).toBeLessThan(2_000);
  });
});

test.each(["From", "To"])("the %s end of a range is filled from a text with both", (end) => {
  const name = `salary${end}`;
  expect(fill("<dl><dt>Salary</dt><dd>€50,000 – €60,000</dd></dl>", { [name]: { type: "number" } })).toEqual({
    [name]: end === "To" ? 60_000 : 50_000,
  });
});

test.each(["salaryTo", "maxSalary"])("%s takes the largest value of an amount in JSON-LD", (name) => {
  const value = { "@type": "QuantitativeValue", minValue: 50_000, maxValue: 60_000, unitText: "YEAR" };
  const baseSalary = { "@type": "MonetaryAmount", currency: "EUR", value };
  const html = jsonLd({ "@type": "JobPosting", title: "Gardener", baseSalary }) + "<h1>Gardener</h1>";
  expect(fill(html, { [name]: { type: "number" } })).toEqual({ [name]: 60_000 });
});

describe("the choices of an enum", () => {
  const choices = Array.from({ length: 4_900 }, (_, index) => `Größe ${index} der Reihe`);
  const rows = (count: number): string =>
    `<table><tr><th>Name</th><th>Price</th><th>Grade</th></tr>${Array.from({ length: count }, (_, row) => `<tr><td>n${row}</td><td>$${row}</td><td>none ${row}</td></tr>`).join("")}</table>`;
  const items = { type: "object", properties: { name: TEXT, price: TEXT, grade: { type: "string", enum: choices } } };
  const fillRows = (count: number, budget = new WorkBudget()): unknown => {
    const data = readStructuredData(openHtml(rows(count), "https://bay.example/"));
    return fillSchema(shapeOf({ type: "object", properties: { rows: { type: "array", items } } }), data, budget).value;
  };

  test("are folded once for all candidates, and looking for them is counted", async () => {
    expect(await leastProcessorMs(() => fillRows(60), 500)).toBeLessThan(500);
    const budget = new WorkBudget();
    fillRows(20, budget);
    expect(budget.steps).toBeGreaterThan((20 * choices.length) / 2);
  });

  test("are found in other letters, and as the longest part of a short text", () => {
    const size = { type: "string", enum: ["S", "red", "dark red", "Dark-Red", 5] };
    const text = (value: string): string => `<dl><dt>Colour</dt><dd>${value}</dd></dl>`;
    expect(fill(text("DARK RED"), { colour: size })).toEqual({ colour: "dark red" });
    expect(fill(text("a dark red, for sails"), { colour: size })).toEqual({ colour: "dark red" });
    expect(fill(text("s"), { colour: size })).toEqual({ colour: "S" });
    expect(fill(text("blue, as skies"), { colour: size })).toBeUndefined();
    expect(fill(text(`red ${"and so on ".repeat(20)}`), { colour: size })).toBeUndefined();
  });
});

test("names of hundreds of words are compared by their first words, which is counted", async () => {
  const words = Array.from({ length: 160 }, (_, index) => `${index}x`);
  const names = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => [...words.toSpliced(4, 1), `own${index}`].join("-"));
  const html = names(100).map((name) => `<b itemprop="${name}">x</b>`).join(""); // prettier-ignore
  const data = readStructuredData(openHtml(`<div itemscope>${html}</div>`, "https://bay.example/"));
  const wanted = words.toReversed().join("_");
  const properties = Object.fromEntries(names(50).map((name, index) => [`${wanted.slice(0, 900)}_${index}_${name.length}`, TEXT])); // prettier-ignore
  const budget = new WorkBudget();
  const shape = shapeOf({ type: "object", properties });
  expect(await leastProcessorMs(() => fillSchema(shape, data, budget), 400)).toBeLessThan(400);
  expect(budget.steps).toBeGreaterThan((50 * 100 * 16 * 16) / 16);
});

describe("a table that lays out a page", () => {
  const properties = { name: TEXT, price: { type: "number" }, sku: TEXT, material: TEXT };
  const cell = "<h1>Widget Pro</h1><p>Price: $5.00</p><p>SKU: W-1</p>";
  const layout = (inner: string): string => `<title>Shop page</title><table><tr><td>${inner}</td></tr></table>`;

  test("has the facts of its cells", () => {
    expect(fill(layout(cell), properties)).toEqual({ name: "Widget Pro", price: 5, sku: "W-1" });
  });

  test("has those of the tables inside", () => {
    const inner = "<table><tr><td>Material</td><td>Oak</td></tr><tr><td>Price</td><td>$5.00</td></tr></table>";
    const value = { name: "Widget Pro", price: 5, material: "Oak" };
    expect(fill(layout(`<h1>Widget Pro</h1>${inner}`), properties)).toEqual(value);
    expect(fill(layout(layout(`<h1>Widget Pro</h1>${inner}`)), properties)).toEqual(value);
  });

  test.each([
    ["one whose class says that it is a listing", '<table class="rouge-table"><tr><td class="gutter"><pre>1</pre></td><td class="code"><pre>npm install widget</pre></td></tr></table>'],
    ["one in a listing, a row for each line", '<div class="highlight"><table><tr><td data-line-number="1"></td><td class="blob-code">npm install widget</td></tr></table></div>'],
    ["one without a class", '<table><tr><td>1</td><td class="code"><pre>npm install widget</pre></td></tr><tr><td>2</td><td class="code"><pre>npm start</pre></td></tr></table>'],
    ["one of one cell", '<table><tr><td id="code"><pre>price: 7</pre></td></tr></table>'],
  ])("is none that shows code: %s", (_, table) => {
    const page = `<title>Shop page</title><h1>Widget Pro</h1>${table}`;
    const asked = { code: TEXT, blob_code: TEXT, price: { type: "number" } };
    expect(fill(page, asked)).toEqual(fill("<title>Shop page</title><h1>Widget Pro</h1>", asked));
  }); // prettier-ignore

  test("may show code beside its facts", () => {
    expect(fill(layout(`${cell}<pre>npm install widget</pre>`), properties)).toEqual(fill(layout(cell), properties));
  });

  test("has facts in a cell for code, where it is a table of its own", () => {
    const facts = "<table><tr><td>Price</td><td>7</td></tr><tr><td>Weight</td><td>2 kg</td></tr></table>";
    const page = (table: string) => scanBody(openHtml(`<h1>Widget</h1><div class="highlight">${table}</div>`, PAGE).tree.root, PAGE).facts;
    const within = page(`<table><tr><td class="code">${facts}</td></tr></table>`);
    expect(within.map(({ label }) => label)).toEqual(expect.arrayContaining(page(facts).map(({ label }) => label)));
    expect(within.map(({ label }) => label)).toContain("Weight");
  }); // prettier-ignore

  test("has no fact of the links of its head", () => {
    const links = '<a href="/new">new</a> | <a href="/ask">ask</a>';
    const head = `<table><tr><td>Price ${links}</td><td>7</td></tr></table>`;
    expect(scanBody(openHtml(layout(`${head}${cell}`), PAGE).tree.root, PAGE).facts.map(({ source }) => source)).not.toContain("table");
    expect(fill(layout(`${head}${cell}`), properties)).toEqual(fill(layout(cell), properties));
  }); // prettier-ignore
});
