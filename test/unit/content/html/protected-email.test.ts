import { expect, test } from "vitest";
import { markdownOf } from "../markdown/render.ts";
import { cleanHtml, openHtml, toHtml } from "../../../../src/content/read-html.ts";
import { readLinks } from "../../../../src/content/crawling/links.ts";

/** `me@x.example`, hidden with the key 0x54. */
const CODED = "543931142c7a312c3539243831";

test.each([
  {
    why: "a link and its text",
    html: `<p>To <a href="/cdn-cgi/l/email-protection#${CODED}"><span class="__cf_email__" data-cfemail="${CODED}">[email&#160;protected]</span></a></p>`,
    markdown: "To [me@x.example](mailto:me@x.example)",
  },
  {
    why: "a link that carries its address itself",
    html: `<p><a href="/cdn-cgi/l/email-protection" class="__cf_email__" data-cfemail="${CODED}">[email&#160;protected]</a></p>`,
    markdown: "[me@x.example](mailto:me@x.example)",
  },
  {
    why: "a link with words of its own",
    html: `<p><a href="https://x.example/cdn-cgi/l/email-protection#${CODED}">Write</a></p>`,
    markdown: "[Write](mailto:me@x.example)",
  },
  {
    why: "a link with a subject and entities",
    html: `<p><a href="/cdn-cgi/l/email-protection#546b2721363e3137206935723539246f363b302d6936">Share</a></p>`,
    markdown: "[Share](mailto:?subject=a&body=b)",
  },
  {
    why: "text alone",
    html: `<p>At <span class="__cf_email__" data-cfemail="${CODED}">[email&#160;protected]</span>.</p>`,
    markdown: "At me@x.example.",
  },
  {
    why: "not what is no code",
    html: '<p><a href="/cdn-cgi/l/email-protection#xyz"><span data-cfemail="5">[email protected]</span></a></p>',
    markdown: "[[email protected]](https://shop.example/cdn-cgi/l/email-protection#xyz)",
  },
])("hidden mail addresses are read: $why", ({ html, markdown }) => {
  expect(markdownOf(html)).toBe(`${markdown}\n`);
});

test("HTML and links show mail addresses as well", () => {
  const view = openHtml(`<p><a href="/cdn-cgi/l/email-protection#${CODED}">Write</a></p>`, "https://x.example/");
  const cleaned = cleanHtml(view, { onlyMainContent: false, includeTags: [], excludeTags: [] });
  expect(toHtml(view, cleaned)).toContain('<a href="mailto:me@x.example">Write</a>');
  expect(readLinks(view)).toEqual(["mailto:me@x.example"]);
});
