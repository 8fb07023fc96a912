const STYLE = /<style:style\s([^<>]*)>\s*<style:table-properties\s([^<>]*)>/g;
const TABLE = /<table:table\s([^<>]*)>/g;

/** Returns the names, as they are in the XML, of the sheets that an OpenDocument workbook hides (ODF 1.3 part 3 § 20.259, `table:display`), in linear time. */
export function hiddenSheets(content: string): ReadonlySet<string> {
  const hiding = new Set<string>();
  for (const [, style = "", properties = ""] of content.matchAll(STYLE)) {
    const name = attribute(style, "style:name");
    if (name !== undefined && attribute(properties, "table:display") === "false") hiding.add(name);
  }
  const hidden = new Set<string>();
  if (hiding.size === 0) return hidden;
  for (const [, table = ""] of content.matchAll(TABLE)) {
    const name = attribute(table, "table:name");
    if (name !== undefined && hiding.has(attribute(table, "table:style-name") ?? "")) hidden.add(name);
  }
  return hidden;
}

function attribute(attributes: string, name: string): string | undefined {
  const [, double, single] = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes) ?? [];
  return double ?? single;
}
