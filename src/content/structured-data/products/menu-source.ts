import type { MenuItem, MenuSection } from "../../../core/scrape/menu.ts";
import type { StructuredData } from "../facts.ts";

/** The page's text for menus without mark-up, and its source. */
export interface MenuSource {
  data: StructuredData;
  markdown: string;
  title: string;
  url: string;
}

/** A section before its ids are added. */
export type PlainSection = Omit<MenuSection, "id" | "items"> & { items: Omit<MenuItem, "id">[] };
