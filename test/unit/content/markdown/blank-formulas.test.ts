import { beforeAll, describe, expect, test } from "vitest";
import { leastProcessorMs, processorMs } from "../../../processor-time.ts";
import { parseHtml } from "../../../../src/content/html/tree/tree.ts";
import { WorkBudget } from "../../../../src/core/work-budget.ts";
import { markdownOf, markdownOfTree } from "./render.ts";

describe("elements of formulas in which nothing is written", () => {
  let others = 0;
  beforeAll(async () => {
    others = await processorMs(() => markdownOf("<b><i>".repeat(20_000)));
  });

  // At the depth limit of a tree, all further levels are below each of 512 ancestors.
  test.each(["<math><mi>", "<math>", '<span class="katex">', "<math><annotation encoding=tex>"])(
    "are read once, however deep they are nested: %s",
    async (tags) => {
      const maxMs = 10 * others + 1_500;
      expect(await leastProcessorMs(() => markdownOf(tags.repeat(20_000)), maxMs)).toBeLessThan(maxMs);
    },
  );

  test.each([
    { what: "are read once", inner: "<i data-latex=x></i>", least: 0, most: 30_000 },
    { what: "take steps", inner: "<i data-latex=x></i><annotation encoding=tex></annotation>", least: 800_000, most: 2_000_000 },
  ])("around TeX in an attribute $what: $inner", ({ inner, least, most }) => {
    const budget = new WorkBudget();
    markdownOfTree(parseHtml(`${"<span class=katex>".repeat(400)}${inner}${"<i></i>".repeat(2_000)}`), { budget });
    expect(budget.steps).toBeGreaterThan(least);
    expect(budget.steps).toBeLessThan(most);
  }); // prettier-ignore

  test.each([
    { html: '<p>a <span class="katex"><math></math> b <math><mi>x</mi></math></span> c</p>', markdown: "a b $x$ c" },
    { html: '<p>a <span class="katex"><span class="katex" data-latex="y"></span></span> c</p>', markdown: "a $y$ c" },
    { html: '<p>a <span class="katex">words</span> c</p>', markdown: "a words c" },
    { html: '<p>a <span class="katex"><math></math><b>words</b></span> c</p>', markdown: "a **words** c" },
  ])("hide none of the formulas and words in them: $html", ({ html, markdown }) => {
    expect(markdownOf(html)).toBe(`${markdown}\n`);
  });

  test.each([
    { what: "a space", mathml: '<mrow><mspace width="1em"></mspace></mrow>', tex: "\\quad" },
    { what: "a rule", mathml: '<mpadded height="0em"><mspace width="3em"></mspace></mpadded>', tex: "\\rule{3em}{0.4pt}" },
    { what: "what is not shown", mathml: "<mphantom><mi>x</mi></mphantom>", tex: "\\phantom{x}" },
    { what: "a picture", mathml: '<mglyph src="https://example.com/l.png"></mglyph>', tex: "\\includegraphics{l.png}" },
    { what: "an empty row", mathml: "<mrow></mrow>", tex: "\\int_0^1 f" },
    { what: "MathML of contents", mathml: '<annotation-xml encoding="MathML-Content"><apply></apply></annotation-xml>', tex: "a+b" },
  ])("are written as their annotation when their MathML is $what", ({ mathml, tex }) => {
    const math = `<math><semantics>${mathml}<annotation encoding="application/x-tex">${tex}</annotation></semantics></math>`;
    const katex = `<span class="katex"><span class="katex-mathml">${math}</span><span class="katex-html">g</span></span>`;
    for (const html of [math, katex]) expect(markdownOf(`<p>a ${html} c</p>`)).toBe(`a $${tex}$ c\n`);
  }); // prettier-ignore
});
