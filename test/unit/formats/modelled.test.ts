import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Menu } from "../../../src/core/scrape/menu.ts";
import { Product } from "../../../src/core/scrape/product.ts";
import { menu } from "../../../src/formats/page/menu.ts";
import { product } from "../../../src/formats/page/product.ts";
import { startScriptedModel, type Script, type ScriptedModel } from "../../fakes/upstream/scripted-model.ts";
import { contextFor, modelAt, pageOf } from "./page.ts";

const SHOP = `<html lang="en"><head><title>Hob</title></head><body><main><h1>Copper kettle</h1>
<p>A kettle by Hob of Leeds that whistles when the water boils. Yours for £49.90, and there are plenty left.</p></main></body></html>`;
const INN = `<html lang="en"><head><title>The Sluice Inn</title></head><body><main><h1>The Sluice Inn</h1>
<p>We cook what the boats bring. The fish soup is eight pounds fifty, the samphire pie, which is vegan, is eleven pounds.</p></main></body></html>`;

const KETTLE = {
  data: {
    title: "Copper kettle",
    brand: "Hob",
    variants: [{ title: "Copper kettle", price: { amount: 49.9, currency: "GBP", formatted: "£49.90" } }],
  },
  evidence: [
    { field: "title", quote: "Copper kettle" },
    { field: "brand", quote: "A kettle by Hob of Leeds" },
    { field: "variants[0].price.amount", quote: "Yours for £49.90" },
    { field: "variants[0].price.currency", quote: "£49.90" },
  ],
};
const SOUP = {
  data: {
    merchant: { name: "The Sluice Inn" },
    sections: [
      { name: "Dishes", items: [{ name: "Fish soup" }, { name: "Samphire pie", dietary: ["vegan"] }] },
      { name: "Lobster", items: [{ name: "Grilled lobster", price: { amount: 77 } }] },
    ],
  },
  evidence: [
    { field: "sections[0].items[0].name", quote: "The fish soup is eight pounds fifty" },
    { field: "sections[1].items[0].name", quote: "Grilled lobster with butter" },
  ],
};

let server: ScriptedModel;
beforeAll(async () => {
  server = await startScriptedModel(["ok"]);
});
afterAll(() => server.close());

async function read(format: typeof product | typeof menu, html: string, script?: Script, evidence = true) {
  if (script !== undefined) server.script(script);
  server.requests.length = 0;
  const context = contextFor(script === undefined ? undefined : modelAt(server));
  const page = await pageOf(html);
  const document = await format.derive(page, { type: format.type, evidence } as never, context);
  return { ...document, page, warnings: context.warnings.join(" ") };
}

describe("a product that is only told in prose", () => {
  test("is read by the model, each value with its quote", async () => {
    const { product: found, evidence, warnings, page } = await read(product, SHOP, [{ json: KETTLE }]);
    expect(found).toEqual({ ...KETTLE.data, url: page.loaded.url });
    expect(Product.safeParse(found).success).toBe(true);
    expect(evidence).toContainEqual(
      expect.objectContaining({ field: "product.brand", quote: "A kettle by Hob of Leeds", from: "model" }),
    );
    expect(evidence).toContainEqual(
      expect.objectContaining({ field: "product.variants[0].price.amount", quote: "Yours for £49.90" }),
    );
    expect(evidence?.filter(({ unverified }) => unverified)).toEqual([]);
    expect(warnings).toBe("");
  });

  test("has no evidence unless it is requested", async () => {
    const { product: found, ...rest } = await read(product, SHOP, [{ json: KETTLE }], false);
    expect(found).toMatchObject({ title: KETTLE.data.title });
    expect(rest).not.toHaveProperty("evidence");
  });

  test("keeps what the model made up marked, and never with a quote that is not on the page", async () => {
    const lie = { ...KETTLE, data: { ...KETTLE.data, brand: "Samovar & Sons", category: "Fine silver" } };
    const { evidence = [], page } = await read(product, SHOP, [{ json: lie }]);
    const unverified = evidence.filter((found) => found.unverified).map(({ field }) => field);
    expect(unverified).toEqual(["product.brand", "product.category"]);
    const text = page.markdown({ removeBase64Images: true }) + (await page.rawText());
    for (const { quote } of evidence) if (quote !== undefined) expect(text).toContain(quote);
  });

  test.each([
    { trouble: "is out of order", script: [{ status: 500 }], says: "The language model did not answer" },
    { trouble: "declines", script: [{ refusal: "no" }], says: "declined to answer" },
    { trouble: "never gives what fits", script: ["nothing"], says: "does not fit the schema" },
    { trouble: "names no product", script: [{ json: { data: { brand: "Hob" } } }], says: "lacks what a product" },
    { trouble: "finds nothing", script: [{ json: { data: { title: null } } }], says: "describes no product" },
  ])("is not there when the model $trouble, in words", async ({ script, says }) => {
    const document = await read(product, SHOP, script);
    expect(document).not.toHaveProperty("product");
    expect(document).not.toHaveProperty("evidence");
    expect(document.warnings).toContain(says);
    expect(document.warnings).toContain("product: the page describes no product in its structured data.");
  });

  test("is not there without a model", async () => {
    const document = await read(product, SHOP);
    expect(document).not.toHaveProperty("product");
    expect(document.warnings).toContain("describes no product");
  });
});

test("a product in structured data is read by rules, and no model is asked", async () => {
  const marked = SHOP.replace(
    "</head>",
    '<script type="application/ld+json">{"@type":"Product","name":"Copper kettle"}</script></head>',
  );
  const { product: found, warnings } = await read(product, marked, [{ json: KETTLE }]);
  expect(found).toMatchObject({ title: "Copper kettle" });
  expect(warnings).toBe("product: it was read by rules, which give no evidence.");
  expect(server.requests).toEqual([]);
});

describe("a menu that is only told in prose", () => {
  test("is read by the model, as sure as the page bears it out", async () => {
    const { menu: found, evidence = [], page } = await read(menu, INN, [{ json: SOUP }]);
    expect(found).toMatchObject({
      isMenu: true,
      merchant: { name: "The Sluice Inn" },
      sections: [
        { id: "dishes", items: [{ id: "dishes-fish-soup", name: "Fish soup" }, { dietary: ["vegan"] }] },
        { id: "lobster" },
      ],
      sourceUrl: page.loaded.url,
    });
    expect(Menu.safeParse(found).success).toBe(true);
    const unverified = evidence.filter((one) => one.unverified).map(({ field }) => field);
    expect(unverified).toContain("menu.sections[1].items[0].name");
    expect(unverified).toContain("menu.sections[1].items[0].price.amount");
    expect(unverified).not.toContain("menu.sections[0].items[0].name");
    expect(found?.confidence).toBeCloseTo((evidence.length - unverified.length) / evidence.length, 2);
    const plain = await read(menu, INN, [{ json: SOUP }], false);
    expect(plain.menu).toEqual(found);
    expect(plain).not.toHaveProperty("evidence");
  });

  test.each([
    { trouble: "is out of order", script: [{ status: 500 }], says: "The language model did not answer" },
    { trouble: "finds no dish", script: [{ json: { data: { sections: [] } } }], says: "shows no menu" },
  ])("is none when the model $trouble, in words", async ({ script, says }) => {
    const { menu: found, warnings } = await read(menu, INN, script);
    expect(found).toMatchObject({ isMenu: false, sections: [] });
    expect(warnings).toContain(says);
  });
});

test("a mistake of ours is not taken for one of the model's", async () => {
  const context = contextFor({
    names: { large: "m", small: "m" },
    contextTokens: 10_000,
    generateText: () => Promise.reject(new TypeError("mistake")),
    generateObject: () => Promise.reject(new TypeError("mistake")),
    step: () => Promise.reject(new TypeError("mistake")),
  });
  await expect(product.derive(await pageOf(SHOP), { type: "product" }, context)).rejects.toThrow("mistake");
});
