import { describe, expect, test } from "vitest";
import { fresh, sitePage } from "../client.ts";
import { openView } from "./browser.ts";
import { look } from "./look.ts";
import { withReader } from "./with-reader.ts";

const tab = withReader();

/** Link to the playground with a request, in the form that request-link.ts documents. */
function linkTo(operation: string, body: object): string {
  const request = Buffer.from(JSON.stringify({ body })).toString("base64url");
  return `playground?${new URLSearchParams({ op: operation, request }).toString()}`;
}

// Screenshots and axe-core take long on a busy machine.
describe("results in the playground", { timeout: 150_000 }, () => {
  test("of a JSON format are a table beside the passages of the page, and runs are revisited", async () => {
    const page = tab();
    const schema = { type: "object", properties: { name: { type: "string" }, price: { type: "number" } } };
    const formats = ["markdown", { type: "json", evidence: true, schema }];
    await openView(page, linkTo("post /v2/scrape", { url: sitePage(fresh("/shop/storm-lantern")), formats }));
    await page.getByRole("button", { name: "Run" }).press("Enter");
    const price = page.getByRole("row", { name: /price/ }).getByRole("button");
    await price.press("Enter");
    const evidence = page.getByRole("region", { name: "Evidence", exact: true });
    await evidence.getByRole("heading", { name: "Evidence of price" }).waitFor();
    const marked = evidence.locator("mark.selected");
    await marked.waitFor();
    expect(await evidence.getByRole("blockquote").innerText()).toContain(await marked.innerText());
    await look(page, "results-data");
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download CSV" }).click();
    expect((await saved).suggestedFilename()).toMatch(/storm-lantern.*\.csv$/);

    await page.getByRole("link", { name: "Map", exact: true }).click();
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("tab", { name: /Links \d+/ }).waitFor();
    await page.getByRole("button", { name: "Previous run" }).click();
    await evidence.waitFor();
    await page.getByRole("button", { name: "Next run" }).click();
    await page.getByRole("tab", { name: /Links \d+/ }).waitFor();
    await page.goBack();
    await evidence.waitFor();
    // After a reload the stored scrape is read again, which is no new scrape.
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.method()));
    await page.reload();
    await evidence.waitFor();
    expect(sent).not.toContain("POST");
  });

  test("of a schema that is built from a page, an example and by hand are previewed", { tags: ["long"] }, async () => {
    const page = tab();
    const body = { url: sitePage(fresh("/shop/storm-lantern")), formats: [{ type: "json", evidence: true }] };
    await openView(page, linkTo("post /v2/scrape", body));

    await page.getByRole("button", { name: "From a page" }).press("Enter");
    await page.getByRole("textbox", { name: "Page", exact: true }).fill(body.url);
    await page.getByRole("button", { name: "Propose fields" }).press("Enter");
    const names = page.getByLabel(/^Name of field \d+$/);
    await names.first().waitFor();
    const proposed = await names.evaluateAll((inputs) => inputs.map((input) => (input as { value?: string }).value));
    expect(proposed).toEqual(expect.arrayContaining(["name", "price"]));
    await page.getByRole("button", { name: "From an example" }).click();
    await page.locator(".cm-content").waitFor();
    await page.getByRole("button", { name: "Use as schema" }).click();
    await page.getByRole("button", { name: "Add field" }).click();
    await page.getByLabel("Name of field 3").fill("sku");
    await page.evaluate("scrollTo(0, 0)");
    await look(page, "schema-fields");
    await page.getByRole("group", { name: "Schema editor" }).getByRole("button", { name: "Preview" }).click();
    await page.getByRole("textbox", { name: "Page", exact: true }).fill(body.url);
    await page.getByRole("button", { name: "Preview", exact: true }).last().click();
    await page.getByRole("row", { name: /price/ }).getByRole("button").first().waitFor();
  });

  test("with images of other sites load each on request, through the service", { tags: ["long"] }, async () => {
    const page = tab();
    await openView(page, linkTo("post /v2/scrape", { url: sitePage("/images"), formats: ["images"] }));
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const mole = page.locator(".thumb").filter({ hasText: "mole.png" });
    await mole.getByRole("button", { name: "Show mole.png, for 1 credit" }).click({ timeout: 60_000 });
    const picture = mole.locator("img");
    await picture.waitFor({ timeout: 60_000 });
    expect(await picture.getAttribute("src")).toMatch(/^(?:blob|data):/);
    await mole.getByText(/^\d+(\.\d)? k?B$/).waitFor();
    // All others at once: each is an image or says why it is none.
    await page.getByRole("button", { name: /^Show \d+ images, for \d+ credits$/ }).click();
    await page
      .locator(".thumb")
      .filter({ hasText: "Loading…" })
      .first()
      .waitFor({ state: "detached", timeout: 60_000 });
    const unsettled = page.locator(".thumb:not(:has(img)):not(:has([role=alert]))");
    await expect.poll(() => unsettled.count()).toBe(0);
    expect(await page.locator(".thumb img").count()).toBeGreaterThan(3);
    await look(page, "result-images");
  });

  test("of 4 MB are shown part by part, and every part is there in the end", { tags: ["long"] }, async () => {
    const page = tab();
    const block = `## Berth\n\n${"The harbour office keeps **books** of every [berth](https://a.example/).\n\n".repeat(100)}`;
    const markdown = block.repeat(Math.ceil(4_000_000 / block.length));
    const data = { markdown, metadata: { title: "Berths", sourceURL: "https://a.example/" } };
    await page.route("**/v2/scrape", (route) => route.fulfill({ json: { success: true, data } }));
    await openView(page, linkTo("post /v2/scrape", { url: "https://a.example/" }));
    // Counts the parts that are rendered when the first one is.
    await page.evaluate(`new MutationObserver(() => {
      const parts = [...document.querySelectorAll(".prose-piece")];
      if (parts.length > 0) window.firstParts ??= [parts.filter((part) => part.firstChild !== null).length, parts.length];
    }).observe(document.body, { childList: true, subtree: true })`);
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("heading", { name: "Berth" }).first().waitFor();
    const [rendered = 0, all = 0] = await page.evaluate<number[]>("window.firstParts");
    expect(rendered).toBeLessThanOrEqual(3);
    expect(all).toBeGreaterThan(150);
    await page.getByRole("tab", { name: "Markdown" }).click();
    const text = await page.getByRole("region", { name: "Markdown" }).evaluate((place) => place.textContent);
    expect(text).toBe(markdown);
  });
});
