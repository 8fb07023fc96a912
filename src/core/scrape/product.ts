import { z } from "zod";

export const Price = z.object({
  amount: z.number().describe("Amount in units of the currency."),
  /** ISO 4217. */
  currency: z.string().optional().describe("ISO 4217 code of the currency."),
  /** Price as written on the page. */
  formatted: z.string().optional().describe("Price as written on the page."),
});
export type Price = z.infer<typeof Price>;

export const Availability = z.object({
  inStock: z.boolean().describe("Whether it can be ordered."),
  text: z.string().optional().describe("Availability as written on the page."),
});
export type Availability = z.infer<typeof Availability>;

const Picture = z.object({
  url: z.string().describe("URL of the image."),
  alt: z.string().optional().describe("Alternative text of the image."),
});

/** A variant of a product. */
export const Variant = z.object({
  id: z.string().optional().describe("ID of the variant in the shop."),
  sku: z.string().optional().describe("Stock keeping unit of the variant."),
  title: z.string().optional().describe("Name of the variant."),
  /** Values of the options: `{ color: "red" }`. */
  values: z.record(z.string(), z.string()).optional().describe("Values of the options, such as color and size."),
  price: Price.optional().describe("Current price of the variant."),
  sale: z
    .object({ originalPrice: Price.describe("Price before the reduction.") })
    .optional()
    .describe("Sale, when the price is reduced."),
  availability: Availability.optional().describe("Whether the variant is available."),
  images: z.array(Picture).optional().describe("Images of the variant."),
});
export type Variant = z.infer<typeof Variant>;

/** A product offered on a shop's page. */
export const Product = z.object({
  title: z.string().describe("Name of the product."),
  brand: z.string().optional().describe("Brand of the product."),
  category: z.string().optional().describe("Category of the product."),
  url: z.string().describe("URL of the page."),
  description: z.string().optional().describe("Description of the product."),
  variants: z.array(Variant).describe("Variants of the product with price and availability."),
});
export type Product = z.infer<typeof Product>;
