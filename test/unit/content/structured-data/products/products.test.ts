import { describe, expect, test } from "vitest";
import { readProduct } from "../../../../../src/content/structured-data/products/products.ts";
import { openHtml } from "../../../../../src/content/read-html.ts";
import { readStructuredData } from "../../../../../src/content/structured-data/read-structured-data.ts";

const URL = "https://shop.example/kettles/k7";

function productOf(html: string) {
  return readProduct(readStructuredData(openHtml(html, URL)));
}
const ld = (data: object): string => `<script type="application/ld+json">${JSON.stringify(data)}</script>`;

describe("the product of a page", () => {
  test("comes from JSON-LD with its offer", () => {
    const found = productOf(
      ld({
        "@type": "Product", name: "Kettle K7", sku: "K7", brand: { "@type": "Brand", name: "Boil & Co" }, category: "Kitchen",
        description: "Boils.", image: ["/k7.jpg"], color: "red",
        offers: { "@type": "Offer", price: "49.90", priceCurrency: "EUR", availability: "https://schema.org/InStock" },
      }), // prettier-ignore
    );
    expect(found).toEqual({
      title: "Kettle K7", brand: "Boil & Co", category: "Kitchen", url: URL, description: "Boils.",
      variants: [
        {
          sku: "K7", title: "Kettle K7", values: { color: "red" }, price: { amount: 49.9, currency: "EUR" },
          availability: { inStock: true, text: "InStock" }, images: [{ url: "https://shop.example/k7.jpg" }],
        },
      ],
    }); // prettier-ignore
  });

  test("has a variant for each of its group's products", () => {
    const variant = (size: string, price: number, stock: string): object => ({
      "@type": "Product", name: `Shirt ${size}`, size, sku: `S-${size}`,
      offers: { "@type": "Offer", price, priceCurrency: "USD", availability: stock },
    }); // prettier-ignore
    const found = productOf(
      ld({
        "@type": "ProductGroup",
        name: "Shirt",
        hasVariant: [variant("S", 10, "InStock"), variant("M", 12, "OutOfStock")],
      }),
    );
    expect(found?.variants).toMatchObject([
      { sku: "S-S", values: { size: "S" }, price: { amount: 10, currency: "USD" }, availability: { inStock: true } },
      { sku: "S-M", values: { size: "M" }, price: { amount: 12, currency: "USD" }, availability: { inStock: false } },
    ]);
  });

  test("tells a reduced price from the one before", () => {
    const specification = (price: number, priceType?: string): object => ({
      "@type": "UnitPriceSpecification", price, priceCurrency: "GBP", ...(priceType ? { priceType } : {}),
    }); // prettier-ignore
    const found = productOf(
      ld({
        "@type": "Product", name: "Lamp",
        offers: { "@type": "Offer", priceSpecification: [specification(80, "https://schema.org/StrikethroughPrice"), specification(60)] },
      }), // prettier-ignore
    );
    expect(found?.variants[0]).toMatchObject({ price: { amount: 60 }, sale: { originalPrice: { amount: 80 } } });
  });

  test("comes from microdata as well", () => {
    const found = productOf(
      `<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Teller</h1>
       <div itemprop="offers" itemscope itemtype="https://schema.org/Offer">
       <span itemprop="price" content="12.50">12,50 €</span><meta itemprop="priceCurrency" content="EUR"></div></div>`,
    );
    expect(found).toMatchObject({ title: "Teller", variants: [{ price: { amount: 12.5, currency: "EUR" } }] });
  });

  test("comes from the head's tags when they name a price", () => {
    const found = productOf(
      `<meta property="og:title" content="Vase"><meta property="product:price:amount" content="1299.00">
       <meta property="product:price:currency" content="DKK"><meta property="og:image" content="https://shop.example/v.jpg">`,
    );
    expect(found).toMatchObject({
      title: "Vase",
      variants: [{ price: { amount: 1299, currency: "DKK" }, images: [{ url: "https://shop.example/v.jpg" }] }],
    });
  });

  test("is the one that the address names, where others are recommended", () => {
    const other = (name: string, url: string): object => ({ "@type": "Product", name, url, offers: { price: 1 } });
    const found = productOf(ld([other("Other", "https://shop.example/x"), other("This", URL)] as object));
    expect(found?.title).toBe("This");
  });

  test.each([
    {
      page: "an article",
      html: `<meta property="og:title" content="Tides"><article><h1>Tides</h1><p>They cost nothing.</p></article>`,
    },
    {
      page: "a list of products",
      html: ld(
        [1, 2, 3].map((number) => ({
          "@type": "Product",
          name: `P${number}`,
          url: `/p${number}`,
          offers: { price: number },
        })),
      ),
    },
  ])("is none on $page", ({ html }) => {
    expect(productOf(html)).toBeUndefined();
  });
});
