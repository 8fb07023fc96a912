/**
 * How many kinds of case of HTML come out as markdown that means the same. Converters differ in style, so what is compared
 * is what CommonMark with GFM reads in their output: blocks, texts, addresses, languages.
 */
// @ts-expect-error -- the plugin brings no types
import { gfm } from "@joplin/turndown-plugin-gfm";
import { parseHTML } from "linkedom";
import type { Nodes } from "mdast";
import TurndownService from "turndown";
import * as blockCases from "../../unit/content/markdown/block-cases.ts";
import type { Case } from "../../unit/content/markdown/case.ts";
import * as inlineCases from "../../unit/content/markdown/inline-cases.ts";
import { markdownOf, PAGE_URL, read } from "../../unit/content/markdown/render.ts";
import { table } from "../load/table.ts";

const KINDS: [kind: string, cases: Case[]][] = [...Object.entries(inlineCases), ...Object.entries(blockCases)].map(
  ([name, cases]) => [name.toLowerCase(), cases],
);

const CONVERTERS: Record<string, (html: string) => string> = {
  orbweaver: (html) => markdownOf(html),
  "turndown, prepared": (html) => turndown(html, true),
  turndown: (html) => turndown(html, false),
};

/** `prepared`: addresses made absolute, and what is never text removed, as careful users do before they convert. */
function turndown(html: string, prepared: boolean): string {
  const { document } = parseHTML(`<!doctype html><html><body>${html}</body></html>`);
  if (prepared) {
    for (const element of document.querySelectorAll("script, style, template, noscript, svg, select, [hidden]"))
      element.remove();
    const base = URL.parse(document.querySelector("base")?.getAttribute("href") ?? "", PAGE_URL)?.href ?? PAGE_URL;
    for (const [selector, attribute] of [
      ["a[href]", "href"],
      ["img[src]", "src"],
    ] as const) {
      for (const element of document.querySelectorAll(selector)) {
        const address = URL.parse(element.getAttribute(attribute) ?? "", base)?.href;
        if (address !== undefined) element.setAttribute(attribute, address);
      }
    }
  }
  const service = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
  service.use(gfm);
  return service.turndown(document.body as unknown as TurndownService.Node);
}

/** What a reader of the markdown gets, in one line: no positions, no matters of style. */
function meaning(node: Nodes): unknown {
  switch (node.type) {
    case "text":
      return node.value.replace(/\s+/g, " ");
    case "inlineCode":
      return ["code", node.value];
    case "code":
      return ["listing", node.lang ?? "", node.value.trimEnd()];
    case "html":
      return node.value === "<br>" ? "\n" : node.value;
    case "break":
      return "\n";
    case "image":
      return ["image", decoded(node.url), node.alt ?? ""];
    default:
      return traitsOf(node).concat("children" in node ? joinTexts(node.children.map(meaning)) : []);
  }
}

function traitsOf(node: Nodes): unknown[] {
  if (node.type === "heading") return [node.type, node.depth];
  if (node.type === "list") return [node.type, node.ordered === true ? (node.start ?? 1) : 0];
  if (node.type === "listItem") return [node.type, node.checked ?? null];
  return node.type === "link" ? [node.type, decoded(node.url)] : [node.type];
}

function joinTexts(parts: unknown[]): unknown[] {
  const joined: unknown[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === "string" && typeof last === "string") joined[joined.length - 1] = last + part;
    else joined.push(part);
  }
  return joined;
}

function decoded(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}

function passes(convert: (html: string) => string, { html, markdown }: Case): boolean {
  try {
    return JSON.stringify(meaning(read(convert(html)))) === JSON.stringify(meaning(read(markdown)));
  } catch {
    return false;
  }
}

/** The table of converters and kinds as text. */
export function measureMarkdown(): string {
  const rows = Object.entries(CONVERTERS).map(([name, convert]) => {
    const counts = KINDS.map(([, cases]) => cases.filter((one) => passes(convert, one)).length);
    return [name, counts.reduce((sum, count) => sum + count, 0), ...counts];
  });
  const sizes = KINDS.map(([, cases]) => cases.length);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  return table(["converter", `all ${all}`, ...KINDS.map(([kind], index) => `${kind} ${sizes[index]}`)], rows);
}
