import type { MenuFacts, MenuSource, PlainSection } from "./menu-source.ts";
import type { Menu, MenuSection } from "../../../core/scrape/menu.ts";
import { foldText } from "../../../core/search/words.ts";
import { WorkBudget } from "../../../core/work-budget.ts";
import { offerAvailability, offerPrice, readPrice } from "./offers.ts";
import type { FactRecord, StructuredData } from "../facts.ts";
import { addressesIn, isOfType, recordsIn, textIn, textsIn } from "../schema/read-record.ts";
import { readNumbers } from "../schema/values.ts";
import { readWrittenMenu } from "./written-menu.ts";

const PLACES: ReadonlySet<string> = new Set(
  "Restaurant FoodEstablishment CafeOrCoffeeShop BarOrPub Bakery FastFoodRestaurant IceCreamShop Winery Brewery LocalBusiness Hotel".split(
    " ",
  ),
);
const MENU: ReadonlySet<string> = new Set(["Menu"]);
const MARKED_UP_CONFIDENCE = 0.98;
/** With a lower confidence, an apparent menu is more likely a price list. */
const LEAST_CONFIDENCE = 0.5;
/** Nested sections repeat the names of those around them. */
const MAX_SECTION_CHARS = 1_000;

/**
 * Returns the menu of a page: from schema.org's Menu where it is marked up, else from headings and priced lines of its
 * text. Parts of the text beyond the budget are left out and named in it.
 */
export function readMenu(source: MenuSource, budget = new WorkBudget()): Menu {
  const { facts, url } = source;
  const { sections: marked, merchant } = facts;
  const written = marked.length > 0 ? undefined : readWrittenMenu(source, budget);
  const sections = marked.length > 0 ? marked : (written?.sections ?? []);
  const confidence = marked.length > 0 ? MARKED_UP_CONFIDENCE : (written?.confidence ?? 0);
  const isMenu = confidence >= LEAST_CONFIDENCE && sections.length > 0;
  return {
    isMenu,
    confidence,
    ...(merchant === undefined ? {} : { merchant }),
    currency: isMenu
      ? mostCommon(sections.flatMap(({ items }) => items.map(({ price }) => price?.currency)))
      : undefined,
    sections: isMenu ? withIds(sections, url) : [],
    sourceUrl: url,
  };
}

/** Returns the menu of a page's structured data (schema.org Menu). */
export function readMenuFacts(data: StructuredData): MenuFacts {
  const merchant = merchantOf(data);
  const { language } = data;
  return { sections: markedUpSections(data), language, ...(merchant === undefined ? {} : { merchant }) };
}

function markedUpSections(data: StructuredData): PlainSection[] {
  const places = data.records.filter((record) => isOfType(record, PLACES));
  const menus = [...places.flatMap((place) => recordsIn(place, "hasMenu", "menu")), ...data.records].filter((record) =>
    isOfType(record, MENU),
  );
  for (const menu of menus) {
    const sections = sectionsOf(menu, data, "");
    if (sections.some(({ items }) => items.length > 0)) return sections;
  }
  return [];
}

/** Returns nested sections one after the other, under both names. */
function sectionsOf(menu: FactRecord, data: StructuredData, above: string): PlainSection[] {
  const own = recordsIn(menu, "hasMenuItem", "menuItem").flatMap((item) => toItem(item, data));
  const name = textIn(menu, "name") ?? "Menu";
  const full = (above === "" ? name : `${above} – ${name}`).slice(0, MAX_SECTION_CHARS);
  const inner = recordsIn(menu, "hasMenuSection", "menuSection").flatMap((section) =>
    sectionsOf(section, data, menu.types.includes("Menu") ? "" : full),
  );
  return own.length === 0 ? inner : [{ name: full, description: textIn(menu, "description"), items: own }, ...inner];
}

function toItem(item: FactRecord, { language }: StructuredData): PlainSection["items"] {
  const name = textIn(item, "name");
  if (name === undefined) return [];
  const [offer] = recordsIn(item, "offers");
  const price = offer === undefined ? textIn(item, "price") : undefined;
  const images = addressesIn(item, "image").map((url) => ({ url }));
  const [calories] = recordsIn(item, "nutrition").flatMap((facts) => {
    return readNumbers(textIn(facts, "calories") ?? "", { language: "en" });
  });
  const dietary = textsIn(item, "suitableForDiet").map(({ text }) => dietOf(text));
  return [
    {
      name,
      description: textIn(item, "description"),
      images: images.length === 0 ? undefined : images,
      price: offer === undefined ? readPrice(price ?? "", { language }) : offerPrice(offer, language),
      availability: offer === undefined ? undefined : offerAvailability(offer),
      dietary: dietary.length === 0 ? undefined : dietary,
      calories,
      url: addressesIn(item, "url")[0],
    },
  ];
}

/** Returns the diet of a type: `https://schema.org/GlutenFreeDiet` is `gluten-free`. */
function dietOf(type: string): string {
  const word = type.replace(/^.*[/#]/, "").replace(/Diet$/, "");
  return word.replace(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase();
}

function merchantOf({ records, page }: StructuredData): Menu["merchant"] {
  const place = records.find((record) => isOfType(record, PLACES) && textIn(record, "name") !== undefined);
  if (place === undefined) {
    const name = textIn(page, "site name");
    return name === undefined ? undefined : { name };
  }
  const [address] = recordsIn(place, "address");
  const lines = ["streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry"];
  const location =
    address === undefined
      ? textIn(place, "address")
      : lines.flatMap((line) => textIn(address, line) ?? []).join(", ") || undefined;
  return { name: textIn(place, "name") ?? "", type: textIn(place, "servesCuisine") ?? place.types[0], location };
}

/** The rest of a longer name does not change the id: items repeat the id of their section. */
const MAX_ID_NAME_CHARS = 200;

/** Adds ids made from the names, so that they stay the same from one reading to the next. */
export function withIds(sections: readonly PlainSection[], sourceUrl: string): MenuSection[] {
  const ids = new Ids();
  return sections.map((section) => {
    const name = ids.slugOf(section.name);
    const id = ids.idOf(name);
    return {
      id,
      ...section,
      items: section.items.map((item) => ({ id: ids.idOf(ids.slugOf(item.name, id)), ...item, sourceUrl })),
    };
  });
}

/** Gives out ids, no two of them equal. Takes time linear in the number of ids. */
class Ids {
  readonly #taken = new Set<string>();
  /** The number of the next copy of a name that has copies. */
  readonly #nextCopies = new Map<string, number>();

  idOf(slug: string): string {
    let id = slug;
    if (this.#taken.has(slug)) {
      let copy = this.#nextCopies.get(slug) ?? 2;
      while (this.#taken.has((id = `${slug}-${copy}`))) copy++;
      this.#nextCopies.set(slug, copy + 1);
    }
    this.#taken.add(id);
    return id;
  }

  slugOf(name: string, section?: string): string {
    const cut = foldText(name.slice(0, MAX_ID_NAME_CHARS));
    const whole = section === undefined ? cut : `${section}-${cut}`;
    return whole.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "item";
  }
}

function mostCommon(values: readonly (string | undefined)[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0];
}
