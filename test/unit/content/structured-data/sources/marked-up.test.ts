import { describe, expect, test } from "vitest";
import { openHtml } from "../../../../../src/content/read-html.ts";
import { readMarkedUp } from "../../../../../src/content/structured-data/sources/marked-up.ts";
import type { FactRecord, FactValue } from "../../../../../src/content/structured-data/facts.ts";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";

const URL = "https://example.com/";

function read(html: string): { records: FactRecord[]; budget: WorkBudget } {
  const budget = new WorkBudget();
  return { records: readMarkedUp(openHtml(html, URL).tree.root, URL, budget), budget };
}

function items(count: number, refersTo: (index: number) => number[]): string {
  return Array.from({ length: count }, (_, index) => {
    const ids = refersTo(index).map((other) => `i${other}`);
    return `<div itemscope itemprop="part" id="i${index}" itemref="${ids.join(" ")}"><b itemprop="name">${index}</b></div>`;
  }).join("");
}

const all = (count: number) => Array.from({ length: count }, (_, index) => index);

function valueOf(record: FactRecord | undefined, label: string): FactValue | undefined {
  return record?.facts.find((fact) => fact.label === label)?.value;
}

describe("microdata with itemref", () => {
  test("reads what is referred to as a part of the thing, wherever it stands", () => {
    const { records, budget } = read(
      `<p id="a" itemprop="name">Tea</p><div itemscope itemref="a c"><i itemprop="price">3</i></div>
       <div itemscope itemref="c"><i itemprop="price">4</i></div><div id="c"><b itemprop="seller" itemscope><i itemprop="name">Ann</i></b></div>`,
    );
    expect(records).toMatchObject([
      { facts: [{ label: "name", value: { text: "Tea" } }, { label: "seller" }, { label: "price" }] },
      { facts: [{ label: "seller", value: { facts: [{ label: "name", value: { text: "Ann" } }] } }, { label: "price" }] },
    ]);
    expect(budget.warning).toBeUndefined();
  }); // prettier-ignore

  test("cuts circles: a thing is no part of itself", () => {
    const { records } = read(`<div itemscope id="a" itemref="b"><b itemprop="name">A</b></div>
      <div itemscope itemprop="friend" id="b" itemref="a"><b itemprop="name">B</b></div>`);
    const friend = valueOf(records[0], "friend") as FactRecord;
    expect(valueOf(friend, "name")).toMatchObject({ text: "B" });
    expect(valueOf(friend, "friend")).toBeUndefined();
  });

  test.each([
    { why: "all refer to all", refersTo: (count: number) => () => all(count) },
    { why: "each refers to the next two", refersTo: (count: number) => (index: number) => [(index + 1) % count, (index + 2) % count] },
    { why: "each refers to the ten behind it", refersTo: () => (index: number) => all(10).map((step) => index + 1 + step) },
  ])("takes steps in proportion to the page when $why", ({ refersTo }) => {
    const steps = (count: number) => read(`<div itemscope>${items(count, refersTo(count))}</div>`).budget.steps;
    expect(steps(18)).toBeLessThan(4_000);
    expect(steps(180)).toBeLessThan(10 * 4_000);
    expect(steps(540)).toBeLessThan(30 * 4_000);
  }); // prettier-ignore

  test("says when references were cut", () => {
    expect(read(items(18, () => all(18))).budget.warning).toMatch(/structured data/);
  });

  test("counts the properties that each reference adds, of which an element has some", () => {
    const labels = Array.from({ length: 2_000 }, (_, index) => `p${index}`).join(" ");
    const { records, budget } = read(
      `<b id="x" itemprop="${labels}">Tea</b>${"<i itemscope itemref=x></i>".repeat(20)}`,
    );
    expect(records.map(({ facts }) => facts.length)).toEqual(Array.from({ length: 20 }, () => 50));
    expect(budget.steps).toBeGreaterThan(20 * 50);
  });
});

test("a record has a number of different properties, and the warning says when there are more", () => {
  const { records, budget } = read(
    `<div itemscope>${Array.from({ length: 1_100 }, (_, index) => `<b itemprop="p${index}">x</b>`).join("")}</div>`,
  );
  expect(records[0]?.facts).toHaveLength(1_000);
  expect(budget.warning).toMatch(/structured data/);
});

test("the elements that are looked at for the values of nested properties are counted", () => {
  const nested = (levels: number) => "<div itemprop=a>".repeat(levels) + "<i></i>".repeat(1_000);
  expect(read(nested(40)).budget.steps - read(nested(20)).budget.steps).toBeGreaterThan(20 * 1_000);
});
