import type { Exchange, Route } from "../exchange.ts";
import { numberParam } from "../exchange.ts";
import { PRODUCTS, PRODUCTS_PER_PAGE } from "../products.ts";
import type { Product } from "../products.ts";
import { escapeHtml, replyHtml } from "../reply.ts";
import { renderPage, simplePage } from "../render.ts";

/** A shop: a listing in two pages and a page for each product with JSON-LD. */
export const shop: Route[] = [
  {
    path: "/shop",
    about: `listing of ${PRODUCTS.length} products; ?page=1|2, or ?all=1 for one page`,
    answer: listing,
  },
  { path: "/shop/:slug", about: "one product with JSON-LD Product, e.g. /shop/storm-lantern", answer: productPage },
];

function listing(exchange: Exchange): void {
  const pages = Math.ceil(PRODUCTS.length / PRODUCTS_PER_PAGE);
  const page = Math.max(1, numberParam(exchange, "page", { fallback: 1, max: pages }));
  const isWhole = exchange.url.searchParams.get("all") === "1";
  const first = (page - 1) * PRODUCTS_PER_PAGE;
  const shown = isWhole ? PRODUCTS : PRODUCTS.slice(first, first + PRODUCTS_PER_PAGE);
  const links = Array.from({ length: pages }, (_, index) => `<a href="/shop?page=${index + 1}">${index + 1}</a>`);
  const main = [
    `<h1>Chandlery</h1>\n<p class="count">${PRODUCTS.length} products</p>`,
    `<div class="product-grid">\n${shown.map(card).join("\n")}\n</div>`,
    isWhole ? "" : `<nav class="pagination">${links.join(" ")}</nav>`,
  ];
  replyHtml(exchange, simplePage(exchange, { title: "Chandlery | Harrow Bay", main: main.join("\n") }));
}

function card({ slug, name, price, stock }: Product): string {
  return [
    `<div class="product-card" data-sku="${slug}">`,
    `<a href="/shop/${slug}"><img src="/img/240x180/${slug}.png" alt="${escapeHtml(name)}" loading="lazy"></a>`,
    `<h2><a href="/shop/${slug}">${escapeHtml(name)}</a></h2>`,
    `<span class="price">£${price}</span> <span class="stock">${stock > 0 ? "In stock" : "Sold out"}</span>`,
    "</div>",
  ].join("\n");
}

function productPage(exchange: Exchange): void {
  const product = PRODUCTS.find(({ slug }) => slug === exchange.params.slug);
  if (!product) return replyHtml(exchange, renderPage(exchange, "refusals/soft-404"), 404);
  const { slug, name, price, stock, rating, blurb } = product;
  const head = [
    `<meta name="description" content="${escapeHtml(blurb)}">`,
    `<meta property="og:type" content="product"><meta property="product:price:amount" content="${price}">`,
    `<script type="application/ld+json">${JSON.stringify(jsonLd(exchange.origin, product))}</script>`,
  ];
  const main = [
    `<nav class="breadcrumbs"><a href="/shop">Chandlery</a> / ${escapeHtml(name)}</nav>`,
    `<h1>${escapeHtml(name)}</h1>\n<img src="/img/640x480/${slug}.png" alt="${escapeHtml(name)}">`,
    `<p class="price">£${price}</p>\n<p class="stock">${stock > 0 ? `${stock} in stock` : "Sold out"}</p>`,
    `<p class="rating">Rated ${rating} out of 5</p>\n<div class="description"><p>${escapeHtml(blurb)}</p></div>`,
    `<button class="add-to-basket">Add to basket</button>`,
    `<h2>Others also looked at</h2>\n<ul>\n${neighbours(product).join("\n")}\n</ul>`,
  ];
  replyHtml(
    exchange,
    simplePage(exchange, { title: `${name} | Chandlery`, main: main.join("\n"), head: head.join("\n") }),
  );
}

function neighbours(product: Product): string[] {
  const at = PRODUCTS.indexOf(product);
  return [1, 2, 5].flatMap((step) => {
    const other = PRODUCTS[(at + step) % PRODUCTS.length];
    return other ? [`<li><a href="/shop/${other.slug}">${escapeHtml(other.name)}</a></li>`] : [];
  });
}

function jsonLd(origin: string, { slug, name, price, stock, rating, blurb }: Product): object {
  return {
    "@context": "https://schema.org",
    "@type": "Product",
    name,
    sku: slug,
    description: blurb,
    image: [`${origin}/img/640x480/${slug}.png`],
    brand: { "@type": "Brand", name: "Harrow Bay Chandlery" },
    aggregateRating: { "@type": "AggregateRating", ratingValue: rating, reviewCount: 20 + slug.length },
    offers: {
      "@type": "Offer",
      url: `${origin}/shop/${slug}`,
      priceCurrency: "GBP",
      price,
      availability: `https://schema.org/${stock > 0 ? "InStock" : "OutOfStock"}`,
    },
  };
}
