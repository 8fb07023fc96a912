import { z } from "zod";
import { parseHtml, textOf } from "../content/html/tree/tree.ts";

/**
 * A list of a provider's answer, read leniently: entries of another shape are left out. A list whose entries are all of
 * another shape is not what the provider's documentation says, and is malformed.
 */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(z.unknown()).transform((entries, context): z.output<Item>[] => {
    const read = entries.flatMap((entry) => {
      const parsed = item.safeParse(entry);
      return parsed.success ? [parsed.data] : [];
    });
    if (entries.length > 0 && read.length === 0)
      context.addIssue({ code: "custom", message: "none of its entries has the documented fields" });
    return read;
  });
}

/** Fields that providers leave out, or set to null. */
export const optionalText = z
  .string()
  .nullish()
  .transform((text) => text ?? "");
export const optionalNumber = z.coerce.number().nullish().catch(undefined);

/** A snippet as words alone: providers mark what matched with tags, and escape the rest. */
export function plainSnippet(html: string): string {
  const text = /[<&]/.test(html)
    ? textOf(parseHtml(html.replace(/<\/?(?:p|br|li|jats:[a-z]+)\b[^<>]*>/g, " $& ")).root)
    : html;
  return text.replace(/\s+/g, " ").trim();
}

/** An image's size, where both sides are known. */
export function sizeOf(width: number | null | undefined, height: number | null | undefined) {
  const isKnown = Number.isInteger(width) && Number.isInteger(height);
  return isKnown ? { imageWidth: Number(width), imageHeight: Number(height) } : {};
}

/** A field for a hit, left out when it is empty. */
export function present<Name extends string>(name: Name, text: string | null | undefined): { [key in Name]?: string } {
  return (text === null || text === undefined || text === "" ? {} : { [name]: text }) as { [key in Name]?: string };
}
