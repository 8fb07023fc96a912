import { openPage, type PageView } from "../../../src/content/page-view.ts";
import { scanPage } from "../../../src/content/html/scan-page.ts";
import { streamHtml } from "../../../src/content/stream-html.ts";
import { WorkBudget } from "../../../src/core/work-budget.ts";

export const URL = "https://a.example/dir/";

const schema = () => ({
  type: "object",
  properties: {
    title: { type: "string" },
    price: { type: "number" },
    tags: { type: "array", items: { type: "string" } },
    items: { type: "array", items: { type: "object", properties: { name: { type: "string" }, price: { type: "number" } } } },
    address: { type: "object", properties: { city: { type: "string" } } },
  },
}); // prettier-ignore

/** Reads a page in every form. @returns the steps that it took */
export async function readAll(html: string): Promise<number> {
  const budget = new WorkBudget({ steps: Infinity });
  const open = (onlyMainContent: boolean): Promise<PageView> => {
    const loaded = { engine: "fetch" as const, url: URL, statusCode: 200, headers: {}, contentType: "text/html", body: html, warnings: [] }; // prettier-ignore
    return openPage(loaded, { clean: { onlyMainContent, includeTags: [], excludeTags: [] }, pdf: undefined, bytesOnly: false, budget }); // prettier-ignore
  };
  const view = await open(false);
  for (const opened of [await open(true), view]) {
    opened.markdown({ removeBase64Images: true });
    opened.html();
  }
  view.facts();
  view.links();
  view.images();
  view.metadata();
  view.product();
  view.menuFacts();
  view.fill(schema());
  view.attributeValues({ selector: "div > p, li a[href]", attribute: "href" });
  streamHtml(html, { baseUrl: URL, onlyMainContent: true }, budget);
  scanPage(html, URL);
  return budget.steps;
}
