import { z } from "zod";
import { withIds } from "../../content/structured-data/products/menus.ts";
import type { Evidence } from "../../core/scrape/evidence.ts";
import { Menu, MenuItem, MenuSection } from "../../core/scrape/menu.ts";
import { evidenceField, EvidenceOption } from "../evidence-option.ts";
import { defineFormat } from "../format.ts";
import { modelled } from "../model/modelled.ts";

/** The model's schema: without machine names and the page's URL, which the service adds. */
const AskedItem = MenuItem.omit({ id: true, sourceUrl: true });
const Asked = z.object({
  merchant: Menu.shape.merchant,
  currency: Menu.shape.currency,
  sections: z.array(MenuSection.omit({ id: true }).extend({ items: z.array(AskedItem) })),
});

/** Returns the menu on a restaurant's page: from structured data or priced lines, else from a model if configured. */
export const menu = defineFormat({
  type: "menu",
  request: z.strictObject({
    type: z.literal("menu").describe("Returns the menu of a restaurant in `menu`."),
    evidence: EvidenceOption.describe(
      "Adds `evidence`: the URL, quote and place of each value that a language model extracted. For a menu that was read by rules there is none, and `warning` says so. Default: false.",
    ),
  }),
  needs: [],
  credits: 0,
  // The confidence in a model's menu is told by its evidence.
  readsSource: () => true,
  reads: () => [{ name: "menuFacts" }, { name: "markdown", removeBase64Images: true }],
  async derive(page, { evidence: isShown }, context) {
    const sourceUrl = page.loaded.url;
    const source = {
      facts: page.menuFacts(),
      markdown: page.markdown({ removeBase64Images: true }),
      title: String(page.metadata().title ?? ""),
      url: sourceUrl,
    };
    const byRules = await context.task("menu", source, page.budget);
    if (byRules.isMenu) {
      if (isShown === true) context.warn("menu: it was read by rules, which give no evidence.");
      return { menu: byRules };
    }
    const read = await modelled(page, context, { format: "menu", answer: Asked, withEvidence: true });
    if (read === undefined || read.value.sections.every(({ items }) => items.length === 0)) {
      context.warn("menu: the page shows no menu that could be read.");
      return { menu: byRules };
    }
    const { sections, ...about } = read.value;
    const confidence = verifiedShare(read.evidence);
    return {
      menu: { isMenu: true, confidence, ...about, sections: withIds(sections, sourceUrl), sourceUrl },
      ...evidenceField(read.evidence, isShown),
    };
  },
});

/** Confidence: the share of the model's values that the page verifies. */
function verifiedShare(evidence: readonly Evidence[]): number {
  const verified = evidence.filter(({ unverified }) => unverified !== true).length;
  return Math.round((verified / Math.max(1, evidence.length)) * 100) / 100;
}
