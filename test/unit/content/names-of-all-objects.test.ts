import { expect, test } from "vitest";
import { promisedKind } from "../../../src/content/documents/kind/kind.ts";
import { openPage } from "../../../src/content/page-view.ts";
import { WorkBudget } from "../../../src/core/work-budget.ts";
import { withoutPrototype } from "../../../src/core/without-prototype.ts";
import { refusalReason } from "../../../src/core/cdp/refusal-reasons.ts";
import { schemaOf } from "../../../src/core/cdp/allowed-methods.ts";

/** Names that every plain object has, as a page may use them. */
const NAMES = ["constructor", "toString", "valueOf", "hasOwnProperty"];

const page = NAMES.map(
  (name) => `
    <p>Before <${name} class="${name}" role="${name}">within ${name}</${name}> and behind it, in a paragraph of text.</p>
    <math><${name}>x</${name}><mo>${name}</mo><mover><mi>a</mi><mo>${name}</mo></mover></math>
    <pre><code class="language-${name}">code of ${name}</code></pre>`,
).join("");

test.each([true, false])("elements and signs named like properties of all objects are read, main content %s", async (onlyMainContent) => {
  const head = NAMES.map((name) => `<meta name="${name}" content="${name}"><meta property="og:${name}" content="x">`);
  const body = `<html><head>${head.join("")}</head><body><main><h1>Names</h1>${page}</main></body></html>`;
  const loaded = { engine: "fetch" as const, url: "https://a.example/", statusCode: 200, headers: {}, contentType: "text/html", body, warnings: [] }; // prettier-ignore
  const clean = { onlyMainContent, includeTags: [], excludeTags: [] };
  const budget = new WorkBudget({ steps: 10_000_000 });
  const view = await openPage(loaded, { clean, pdf: undefined, bytesOnly: false, budget });
  const markdown = view.markdown({ removeBase64Images: true });
  for (const name of NAMES) {
    expect(markdown).toContain(`Before within ${name} and behind it`);
    expect(markdown).toContain(`code of ${name}`);
  }
  expect(markdown).not.toContain("native code");
  expect(JSON.stringify(view.metadata())).not.toContain("native code");
}); // prettier-ignore

test("a selector of an attribute finds no element without attributes", async () => {
  const body =
    "<html><body><main><p>One paragraph of text.</p><p constructor>Another paragraph.</p></main></body></html>";
  const loaded = { engine: "fetch" as const, url: "https://a.example/", statusCode: 200, headers: {}, contentType: "text/html", body, warnings: [] }; // prettier-ignore
  const clean = { onlyMainContent: false, includeTags: ["p:not([toString])[constructor]"], excludeTags: [] };
  const budget = new WorkBudget({ steps: 10_000_000 });
  const view = await openPage(loaded, { clean, pdf: undefined, bytesOnly: false, budget });
  expect(view.markdown({ removeBase64Images: true }).trim()).toBe("Another paragraph.");
});

test("the end of an address is no kind of document because all objects have such a property", () => {
  expect(promisedKind("https://a.example/reference/Array.constructor", undefined)).toBeUndefined();
  expect(promisedKind("https://a.example/x", "constructor")).toBeUndefined();
});

test("a command of DevTools that is named so is refused", () => {
  for (const name of NAMES) {
    expect(schemaOf(name)).toBeUndefined();
    expect(refusalReason(`${name}.enable`)).not.toContain("native code");
  }
});

test("a table without prototype has its own entries alone", () => {
  const table = withoutPrototype({ one: 1 });
  expect(table["one"]).toBe(1);
  for (const name of [...NAMES, "__proto__"]) expect(table[name]).toBeUndefined();
});
