import { z } from "zod";

export const Price = z.object({
  amount: z.number(),
  /** ISO 4217. */
  currency: z.string().optional(),
  /** As the page writes it. */
  formatted: z.string().optional(),
});
export type Price = z.infer<typeof Price>;

export const Availability = z.object({ inStock: z.boolean(), text: z.string().optional() });
export type Availability = z.infer<typeof Availability>;

const Picture = z.object({ url: z.string(), alt: z.string().optional() });

/** One way to buy a product. */
export const Variant = z.object({
  id: z.string().optional(),
  sku: z.string().optional(),
  title: z.string().optional(),
  /** Option by option: `{ color: "red" }`. */
  values: z.record(z.string(), z.string()).optional(),
  price: Price.optional(),
  sale: z.object({ originalPrice: Price }).optional(),
  availability: Availability.optional(),
  images: z.array(Picture).optional(),
});
export type Variant = z.infer<typeof Variant>;

/** What a shop's page offers. */
export const Product = z.object({
  title: z.string(),
  brand: z.string().optional(),
  category: z.string().optional(),
  url: z.string(),
  description: z.string().optional(),
  variants: z.array(Variant),
});
export type Product = z.infer<typeof Product>;
