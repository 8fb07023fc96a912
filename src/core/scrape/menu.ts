import { z } from "zod";
import { Availability, Price } from "./product.ts";

export const MenuItem = z.object({
  id: z.string().describe("ID of the item, stable for the same page."),
  name: z.string().describe("Name of the item."),
  description: z.string().optional().describe("Description of the item."),
  images: z
    .array(
      z.object({
        url: z.string().describe("URL of the image."),
        alt: z.string().optional().describe("Alternative text of the image."),
      }),
    )
    .optional()
    .describe("Images of the item."),
  price: Price.optional().describe("Price of the item."),
  availability: Availability.optional().describe("Whether the item is available."),
  /** Dietary labels, such as `vegan` or `gluten-free`. */
  dietary: z.array(z.string()).optional().describe("Dietary labels, such as vegan."),
  /** Kilocalories. */
  calories: z.number().optional().describe("Energy in kilocalories."),
  url: z.string().optional().describe("URL of the item."),
  sourceUrl: z.string().optional().describe("URL of the page that lists the item."),
});
export type MenuItem = z.infer<typeof MenuItem>;

export const MenuSection = z.object({
  id: z.string().describe("ID of the section, stable for the same page."),
  name: z.string().describe("Name of the section."),
  description: z.string().optional().describe("Description of the section."),
  items: z.array(MenuItem).describe("Items of the section."),
});
export type MenuSection = z.infer<typeof MenuSection>;

/** The menu on a restaurant's page. */
export const Menu = z.object({
  isMenu: z.boolean().describe("Whether the page shows a menu."),
  /** 0 to 1. */
  confidence: z.number().describe("Confidence in the result, 0 to 1."),
  merchant: z
    .object({
      name: z.string().describe("Name of the restaurant."),
      type: z.string().optional().describe("Kind of restaurant."),
      location: z.string().optional().describe("Address of the restaurant."),
    })
    .optional()
    .describe("Restaurant or shop of the menu."),
  /** ISO 4217 code of most prices. */
  currency: z.string().optional().describe("ISO 4217 code of the currency of prices."),
  sections: z.array(MenuSection).describe("Sections of the menu."),
  sourceUrl: z.string().describe("URL of the page."),
});
export type Menu = z.infer<typeof Menu>;
