import TurndownService from "turndown";
// @ts-expect-error -- the plugin brings no types
import { gfm } from "@joplin/turndown-plugin-gfm";
import { parseHTML } from "linkedom";
import { readImages } from "../../../src/content/html/images.ts";
import { readLinks } from "../../../src/content/crawling/links.ts";
import { openPage } from "../../../src/content/page-view.ts";
import { cleanHtml, openHtml, toMarkdown } from "../../../src/content/read-html.ts";
import { parseHtml } from "../../../src/content/html/tree/tree.ts";

const MAIN = { onlyMainContent: true, includeTags: [], excludeTags: [] };
const CUT =
  "header, footer, nav, aside, .sidebar, .ad, .ads, .menu, .breadcrumbs, .share, .cookie, script, style, noscript";

/** Each pipeline turns one page into markdown, or does a part of it. */
const PIPELINES: Record<string, (html: string, url: string) => unknown> = {
  nothing: () => 0,
  parse: (html) => parseHtml(html),
  main: (html, url) => cleanHtml(openHtml(html, url), MAIN),
  markdown: (html, url) => {
    const view = openHtml(html, url);
    return toMarkdown(view, cleanHtml(view, { ...MAIN, onlyMainContent: false }), { removeBase64Images: true });
  },
  whole: async (html, url) => {
    const loaded = {
      engine: "fetch",
      url,
      statusCode: 200,
      headers: {},
      contentType: "text/html",
      body: html,
      warnings: [],
    } as const;
    const view = await openPage({ ...loaded, warnings: [] }, { clean: MAIN, pdf: {}, bytesOnly: false });
    view.facts();
    return [view.markdown({ removeBase64Images: true }), view.metadata(), view.links(), view.images()];
  },
  "linkedom+turndown": (html) => {
    const { document } = parseHTML(html);
    for (const element of document.querySelectorAll(CUT)) element.remove();
    const service = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced" });
    service.use(gfm);
    return service.turndown(document.body as unknown as TurndownService.Node);
  },
  links: (html, url) => [readLinks(openHtml(html, url)), readImages(openHtml(html, url))],
};

/** Runs a pipeline over the posted page as often as asked, so that the caller can tell its time from the call's. */
export default {
  async fetch(request): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const run = PIPELINES[searchParams.get("pipeline") ?? "nothing"];
    if (run === undefined) return new Response("no such pipeline", { status: 404 });
    const html = await request.text();
    const url = searchParams.get("url") ?? "https://page.example/";
    let done = 0;
    for (let times = Number(searchParams.get("times") ?? "1"); times > 0; times--) {
      if ((await run(html, url)) !== undefined) done++;
    }
    return Response.json({ done });
  },
} satisfies ExportedHandler;
