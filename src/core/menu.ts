import { z } from "zod";
import { Availability, Price } from "./product.ts";

export const MenuItem = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  images: z.array(z.object({ url: z.string(), alt: z.string().optional() })).optional(),
  price: Price.optional(),
  availability: Availability.optional(),
  /** Such as `vegan` or `gluten-free`. */
  dietary: z.array(z.string()).optional(),
  /** Kilocalories. */
  calories: z.number().optional(),
  url: z.string().optional(),
  sourceUrl: z.string().optional(),
});
export type MenuItem = z.infer<typeof MenuItem>;

export const MenuSection = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  items: z.array(MenuItem),
});
export type MenuSection = z.infer<typeof MenuSection>;

/** What a restaurant's page serves. */
export const Menu = z.object({
  isMenu: z.boolean(),
  /** 0 to 1. */
  confidence: z.number(),
  merchant: z.object({ name: z.string(), type: z.string().optional(), location: z.string().optional() }).optional(),
  /** ISO 4217, of most prices. */
  currency: z.string().optional(),
  sections: z.array(MenuSection),
  sourceUrl: z.string(),
});
export type Menu = z.infer<typeof Menu>;
