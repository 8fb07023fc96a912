import { expect, test } from "vitest";
import { isHidden } from "../../../../src/content/html/hidden.ts";
import { parseHtml, type ElementNode } from "../../../../src/content/html/tree/tree.ts";

const hidden = (html: string): boolean => isHidden(parseHtml(html).root.children[0] as ElementNode);

test.each([
  "<p hidden>",
  '<p hidden="">',
  '<div hidden id="FAQS:1">',
  '<p style="display:none">',
  '<p style="color:red; DISPLAY : None">',
  '<p style="visibility: hidden">',
  '<span class="sr-only">',
  '<span class="a visually-hidden b">',
  '<span class="screen-reader-text">',
])("%s is hidden", (html) => {
  expect(hidden(html)).toBe(true);
});

test.each([
  "<p>",
  '<p hidden="until-found">',
  '<p style="display:block">',
  '<p class="hidden-gems">',
  '<p class="sr-only-not">',
  '<p aria-hidden="true">',
  '<div hidden id="S:1">',
  '<div hidden id="app-S:1f">',
])("%s is shown", (html) => {
  expect(hidden(html)).toBe(false);
});
