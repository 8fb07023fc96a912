import { expect, test } from "vitest";
import { completeChoice } from "../../../../../src/content/main-content/complete-choice.ts";
import { measurePage } from "../../../../../src/content/main-content/features/page-measures.ts";
import { parseHtml } from "../../../../../src/content/html/tree/tree.ts";

const offer = (price: string) => `{"@type":"Product","name":"Kettle","offers":{"@type":"Offer","price":"${price}"}}`;
const jsonLd = (...products: string[]) =>
  products.map((product) => `<script type="application/ld+json">${product}</script>`).join("");
const TEXT = "It boils a litre of water in three minutes.";
const PAGE = `<h1>Kettle</h1><div><p>$20.00 off above $100</p><p class="price">$49.90</p><button>Buy for $49.90</button></div><p>${TEXT}</p>`;

/** Texts of the blocks that are kept after the title and those at some places were chosen. */
function completed(html: string, chosen: string[] = [TEXT]): string[] {
  const page = measurePage(parseHtml(html), "https://a.example/kettle");
  const { blocks } = page.outline;
  const kept = Uint8Array.from(blocks, ({ text }) => (chosen.includes(text) ? 1 : 0));
  completeChoice(page, new Float32Array(blocks.length).fill(0.5), kept);
  return blocks.filter((_, index) => kept[index] === 1).map(({ text }) => text);
}

test.each([
  ["the price that JSON-LD names", jsonLd(offer("49.90")) + PAGE, ["Kettle", "$49.90", TEXT]],
  [
    "the price that the head names",
    `<title>Kettle</title><meta property="product:price:amount" content="49.90">${PAGE}`,
    ["Kettle", "$49.90", TEXT],
  ],
  [
    "the price as the page's language writes it",
    `<html lang="de">${jsonLd(offer("1049.9"))}<h1>Kettle</h1><p>1.049,90 €</p><p>${TEXT}</p>`,
    ["Kettle", "1.049,90 €", TEXT],
  ],
  [
    "a price right above the title",
    `${jsonLd(offer("5"))}<p>5 €</p><h1>Kettle</h1><p>${TEXT}</p>`,
    ["5 €", "Kettle", TEXT],
  ],
  [
    "the old price beside it",
    `${jsonLd(offer("49.90"))}<h1>Kettle</h1><p><s>$60</s></p><p>$49.90</p><p>${TEXT}</p>`,
    ["Kettle", "$60", "$49.90", TEXT],
  ],
  [
    "the line that holds both, before that of the price alone",
    `${jsonLd(offer("49.90"))}<h1>Kettle</h1><p>Regular price $49.90</p><p>Sale price $49.90 Regular price $60</p><p>${TEXT}</p>`,
    ["Kettle", "Sale price $49.90 Regular price $60", TEXT],
  ],
  [
    "the only price below the title of a page without such data",
    `<h1>Kettle</h1><p>£65 or nearest offer</p><p>${TEXT}</p>`,
    ["Kettle", "£65 or nearest offer", TEXT],
  ],
  ["no price of a button", `<h1>Kettle</h1><button>Buy for £65</button><p>${TEXT}</p>`, ["Kettle", TEXT]],
  ["no other price", jsonLd(offer("39.90")) + PAGE, ["Kettle", TEXT]],
  ["no price of a page about nothing that is sold", PAGE, ["Kettle", TEXT]],
  ["no price of one of several products", jsonLd(offer("49.90"), offer("20")) + PAGE, ["Kettle", TEXT]],
  ["no number that is no price", `${jsonLd(offer("3"))}<h1>Kettle</h1><p>3 litres</p><p>${TEXT}</p>`, ["Kettle", TEXT]],
  [
    "no price far from the title",
    `${jsonLd(offer("5"))}<h1>Kettle</h1><p>${TEXT}</p>${"<p>Menu</p>".repeat(12)}<p>$5</p>`,
    ["Kettle", TEXT],
  ],
])("keeps %s", (_what, html, kept) => {
  expect(completed(html)).toEqual(kept);
});

test("a price that is kept already is enough", () => {
  const html = `${jsonLd(offer("5"))}<h1>Kettle</h1><p>$5</p><p>${TEXT}</p><p>Now only $5!</p>`;
  expect(completed(html, [TEXT, "Now only $5!"])).toEqual(["Kettle", TEXT, "Now only $5!"]);
});
