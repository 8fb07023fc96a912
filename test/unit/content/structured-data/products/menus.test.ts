import { describe, expect, test } from "vitest";
import { readMenu, readMenuFacts, withIds } from "../../../../../src/content/structured-data/products/menus.ts";
import { openHtml } from "../../../../../src/content/read-html.ts";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";
import { processorMs } from "../../../../processor-time.ts";
import { readStructuredData } from "../../../../../src/content/structured-data/read-structured-data.ts";

const URL = "https://trattoria.example/menu";

function menuOf({ html = "", markdown = "", title = "", url = URL }) {
  return readMenu({ facts: readMenuFacts(readStructuredData(openHtml(html, url))), markdown, title, url });
}

const WRITTEN = `# Our menu

## Starters

- Tomato soup (V) ..... € 5.50
- Bruschetta – with basil and oil € 6.00

## Mains

Grilled trout

with almonds and potatoes

€ 18.90

Mushroom risotto € 14.50

creamy, with parmesan`;

describe("a menu", () => {
  test("comes from the page's mark-up, section by section", () => {
    const html = `<script type="application/ld+json">${JSON.stringify({
      "@type": "Restaurant", name: "Da Nino", servesCuisine: "Italian",
      address: { "@type": "PostalAddress", streetAddress: "Quay 1", addressLocality: "Cork" },
      hasMenu: {
        "@type": "Menu",
        hasMenuSection: [
          {
            "@type": "MenuSection", name: "Pizza",
            hasMenuItem: [
              {
                "@type": "MenuItem", name: "Margherita", description: "Tomato, mozzarella",
                offers: { "@type": "Offer", price: "9.5", priceCurrency: "EUR" },
                suitableForDiet: "https://schema.org/VegetarianDiet", nutrition: { "@type": "NutritionInformation", calories: "820 kcal" },
              },
            ],
          },
        ],
      },
    })}</script>`; // prettier-ignore
    expect(menuOf({ html })).toEqual({
      isMenu: true, confidence: 0.98, currency: "EUR", sourceUrl: URL,
      merchant: { name: "Da Nino", type: "Italian", location: "Quay 1, Cork" },
      sections: [
        {
          id: "pizza", name: "Pizza",
          items: [
            {
              id: "pizza-margherita", name: "Margherita", description: "Tomato, mozzarella", price: { amount: 9.5, currency: "EUR" },
              dietary: ["vegetarian"], calories: 820, sourceUrl: URL,
            },
          ],
        },
      ],
    }); // prettier-ignore
  });

  test("is read from priced lines under headings", () => {
    const menu = menuOf({ markdown: WRITTEN, title: "Menu" });
    expect(menu).toMatchObject({ isMenu: true, currency: "EUR" });
    expect(menu.sections.map(({ name, items }) => [name, items.map((item) => item.name)])).toEqual([
      ["Starters", ["Tomato soup", "Bruschetta"]],
      ["Mains", ["Grilled trout", "Mushroom risotto"]],
    ]);
    const [soup, bruschetta] = menu.sections[0]?.items ?? [];
    expect(soup).toMatchObject({
      price: { amount: 5.5, currency: "EUR", formatted: "€ 5.50" },
      dietary: ["vegetarian"],
    });
    expect(bruschetta).toMatchObject({ description: "with basil and oil", price: { amount: 6 } });
    expect(menu.sections[1]?.items[0]).toMatchObject({
      description: "with almonds and potatoes",
      price: { amount: 18.9 },
    });
    expect(menu.sections[1]?.items[1]).toMatchObject({ description: "creamy, with parmesan", price: { amount: 14.5 } });
  });

  test.each([
    {
      page: "an article that names a sum",
      markdown: "# Harbour\n\nThe harbour cost € 5.00\n\n## History\n\nIt was built in 1900.",
    },
    {
      page: "a shop's list",
      markdown: "# Laptops\n\n- Model A € 999.00\n- Model B € 1299.00\n- Model C € 1599.00\n- Model D € 2100.00",
      url: "https://shop.example/laptops",
    },
  ])("is none in $page", ({ markdown, url = "https://a.example/page" }) => {
    const menu = menuOf({ markdown, url });
    expect(menu).toMatchObject({ isMenu: false, sections: [] });
    expect(menu.confidence).toBeLessThan(0.5);
  });

  test("names its items alike every time, and no two the same", () => {
    const markdown = "# Menu\n\n- Soup € 5.00\n- Soup € 7.00\n- Salad € 6.00";
    const ids = menuOf({ markdown }).sections.flatMap(({ items }) => items.map(({ id }) => id));
    expect(ids).toEqual(["menu-soup", "menu-soup-2", "menu-salad"]);
  });

  test("counts copies of a name past the names that look like copies", () => {
    const items = ["Soup", "Soup 2", "Soup", "Soup", "Soup 3"].map((name) => ({ name }));
    const ids = withIds([{ name: "Menu", items }], URL).flatMap((section) => section.items.map(({ id }) => id));
    expect(ids).toEqual(["menu-soup", "menu-soup-2", "menu-soup-3", "menu-soup-4", "menu-soup-3-2"]);
  });

  test("of thousands of lines of one name is read in linear time, up to a number of items", async () => {
    const markdown = "Pizza 9.50 €\n".repeat(6_000);
    const source = { facts: { sections: [], language: "en" }, markdown, title: "Menu", url: URL };
    const budget = new WorkBudget();
    expect(await processorMs(() => readMenu(source, budget))).toBeLessThan(2_000);
    expect(readMenu(source).sections.flatMap(({ items }) => items)).toHaveLength(5_000);
    expect(budget.warning).toContain("incomplete: menu.");
  });
});
