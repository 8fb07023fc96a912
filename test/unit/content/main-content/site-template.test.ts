import { expect, test } from "vitest";
import { outlinePage } from "../../../../src/content/main-content/blocks.ts";
import { findMainContent } from "../../../../src/content/main-content/find-main-content.ts";
import { fingerprintBlock, fingerprintPage, SiteTemplate } from "../../../../src/content/main-content/site-template.ts";
import { parseHtml } from "../../../../src/content/html/tree/tree.ts";

const NEWSLETTER = "Get our best stories of the week in your mailbox every Sunday morning.";
const page = (own: string) => parseHtml(`<body><p>${NEWSLETTER}</p><p>${own}</p><b>Details</b></body>`);

function learn(...owns: string[]): SiteTemplate {
  const template = new SiteTemplate();
  for (const own of owns) template.addPage(fingerprintPage(page(own)));
  return template;
}

test("a block's repetition is the share of known pages that have it", () => {
  const template = learn("One", "Two", "Three", "One");
  expect([...template.repetition(outlinePage(page("One").root))]).toEqual([1, 0.5, 1]);
});

test("what repeats loses, what is short and only here gains, short repeated headings stay as they are", () => {
  const outline = outlinePage(page("Only here").root);
  const corrected = learn("One", "Two").correct(Float32Array.of(0.5, 0.5, 0.5), outline, Float64Array.of(12, 2, 1));
  expect(corrected[0]).toBeLessThan(0.1);
  expect(corrected[1]).toBeGreaterThan(0.55);
  expect(corrected[2]).toBe(0.5);
});

test("one page tells nothing", () => {
  const probabilities = Float32Array.of(0.5, 0.5, 0.5);
  expect(learn("One").correct(probabilities, outlinePage(page("Two").root), new Float64Array(3))).toBe(probabilities);
});

test("main content is found with the site's template in mind", () => {
  const story = ["One", "Two", "Three", "Four"].map(
    (day) => `<p>Day ${day}: the committee met and decided, after a long debate, to repair the old bridge.</p>`,
  );
  const html = `<body><div><h1>The bridge</h1>${story.slice(0, 2).join("")}<p>${NEWSLETTER}</p>${story.slice(2).join("")}</div></body>`;
  const isDropped = (template?: SiteTemplate) => {
    const { droppedElements } = findMainContent(parseHtml(html), "https://example.com/bridge", { site: template });
    return [...droppedElements].some(({ children }) => children.includes(NEWSLETTER));
  };
  expect({ alone: isDropped(), withTemplate: isDropped(learn("One", "Two", "Three")) }).toEqual({
    alone: false,
    withTemplate: true,
  });
});

test("a template comes back from its serialised form", () => {
  const template = learn("One", "Two", "One");
  const copy = SiteTemplate.parse(template.serialize());
  expect(copy.pageCount).toBe(3);
  expect(copy.serialize()).toBe(template.serialize());
  expect(SiteTemplate.parse(new SiteTemplate().serialize()).pageCount).toBe(0);
});

test.each(["", "garbage", "3", "x:1.2", "3:1;2"])("“%s” is an empty template", (text) => {
  expect(SiteTemplate.parse(text).serialize()).toBe("0:");
});

test("the rare is forgotten before the frequent, and the serialised form stays small", () => {
  const template = new SiteTemplate();
  for (let number = 0; number < 30; number++) {
    const blocks = Array.from({ length: 200 }, (_, index) => `<p>Page ${number} paragraph ${index}</p>`).join("");
    template.addPage(fingerprintPage(parseHtml(`<body><p>${NEWSLETTER}</p>${blocks}</body>`)));
  }
  expect(template.serialize().length).toBeLessThan(20_000);
  expect(template.repetition(outlinePage(page("New").root))[0]).toBe(1);
});

test("the same text in another tag is another block", () => {
  expect(fingerprintBlock("p", "News")).not.toBe(fingerprintBlock("h2", "News"));
});
