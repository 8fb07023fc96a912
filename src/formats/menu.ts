import { z } from "zod";
import { readMenu } from "../content/menus.ts";
import { Menu } from "../core/menu.ts";
import type { JsonSchema } from "../core/json-schema.ts";
import { defineFormat } from "./format.ts";
import { modelled } from "./model/modelled.ts";

const SCHEMA = z.toJSONSchema(Menu) as JsonSchema;

/** What a restaurant's page serves: from its structured data or its priced lines, else by a model where there is one. */
export const menu = defineFormat({
  type: "menu",
  request: z.strictObject({ type: z.literal("menu") }),
  needs: [],
  credits: 0,
  async derive(page, _request, context) {
    const read = readMenu({
      data: page.structured(),
      markdown: page.markdown({ removeBase64Images: true }),
      title: String(page.metadata().title ?? ""),
      url: page.loaded.url,
    });
    if (read.isMenu) return { menu: read };
    const found = await modelled(page, context, { format: "menu", schema: SCHEMA, answer: Menu });
    if (found?.isMenu !== true) context.warn("menu: the page shows no menu that could be read.");
    return { menu: found ?? read };
  },
});
