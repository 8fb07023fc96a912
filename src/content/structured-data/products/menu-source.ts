import type { Menu, MenuItem, MenuSection } from "../../../core/scrape/menu.ts";

/** A menu as it is marked up, and the place that it belongs to. */
export interface MenuFacts {
  /** Empty when no menu is marked up. */
  sections: PlainSection[];
  merchant?: Menu["merchant"];
  /** Language of the page; empty when unknown. */
  language: string;
}

/** The page's marked-up menu, its text for menus without mark-up, and its source. */
export interface MenuSource {
  facts: MenuFacts;
  markdown: string;
  title: string;
  url: string;
}

/** A section before its ids are added. */
export type PlainSection = Omit<MenuSection, "id" | "items"> & { items: Omit<MenuItem, "id">[] };
