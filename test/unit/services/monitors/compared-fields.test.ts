import { describe, expect, test } from "vitest";
import { monitorService, PRICES, PRICES_URL } from "../../../fakes/services/monitor-service.ts";

const SCHEMA = { type: "object", properties: { price: { type: "string" }, stock: { type: "string" } } };
const tracking = (modes: string[]) => ({ type: "changeTracking", modes, schema: SCHEMA });
const monitorOf = (modes: string[], formats: unknown[] = [tracking(modes)]) => ({
  ...PRICES,
  targets: [{ type: "scrape", urls: [PRICES_URL], scrapeOptions: { formats } }],
});

const FILLER = "<p>The catch of the day, weighed at the quay.</p>".repeat(12);
const product = (price: string, words = "Fresh"): string =>
  `<title>Cod</title><article><h1>Cod</h1>${FILLER}<p>Price: ${price}</p><p>Stock: Plenty</p><p>${words} from the quay.</p></article>`;

async function checksOf(modes: string[], pages: readonly string[], formats?: unknown[]) {
  const service = monitorService();
  const id = await service.create(monitorOf(modes, formats));
  const found = [];
  for (const page of pages) {
    service.web[PRICES_URL] = page;
    found.push((await service.run(id)).pages[0]);
  }
  return { service, id, pages: found };
}

describe("changeTracking in mode json", () => {
  test("compares fields alone: a change of other text is none", async () => {
    const { pages } = await checksOf(["json"], [product("4 €"), product("4 €", "Frozen"), product("5 €", "Frozen")]);
    expect(pages.map((page) => page?.status)).toEqual(["new", "same", "changed"]);
    expect(pages[0]).toMatchObject({ diff: null, snapshot: { json: { price: "4 €", stock: "Plenty" } } });
    expect(pages[2]).toMatchObject({
      diff: { json: { price: { previous: "4 €", current: "5 €" } } },
      snapshot: { json: { price: "5 €", stock: "Plenty" } },
    });
    expect(pages[2]?.diff).not.toHaveProperty("text");
    expect(Object.keys(pages[2]?.diff?.json ?? {})).toEqual(["price"]);
  });

  test.each([
    { modes: ["json"], diff: { json: { price: { previous: "4", current: "5" } } } },
    { modes: ["json", "git-diff"], diff: { text: "", json: { price: { previous: "4", current: "5" } } } },
  ])("compares fields of structured data under the same text ($modes)", async ({ modes, diff }) => {
    const priced = (price: string): string =>
      `<script type="application/ld+json">{"@type":"Product","name":"Cod","offers":{"@type":"Offer","price":"${price}"}}</script>${product("").replace("<p>Price: </p>", "")}`;
    const { pages } = await checksOf(modes, [priced("4"), priced("4"), priced("5"), priced("5")]);
    expect(pages.map((page) => page?.status)).toEqual(["new", "same", "changed", "same"]);
    expect(pages[0]?.snapshot).toEqual({ json: { price: "4", stock: "Plenty" } });
    expect(pages[2]).toMatchObject({ diff, snapshot: { json: { price: "5" } } });
  });

  test("says which fields could not be compared after the schema changed, and compares the next ones", async () => {
    const { service, id } = await checksOf(["json"], [product("4 €")]);
    const [target] = (await service.monitor(id)).targets;
    const schema = { type: "object", properties: { price: { type: "string" } } };
    const formats = [{ type: "changeTracking", modes: ["json"], schema }];
    await service.patch(id, { targets: [{ ...target, scrapeOptions: { formats } }] });
    service.web[PRICES_URL] = product("5 €");
    const [page] = (await service.run(id)).pages;
    expect(page).toMatchObject({
      status: "changed",
      diff: null,
      warning: expect.stringContaining("cannot be compared"),
    });
    service.web[PRICES_URL] = product("6 €");
    expect((await service.run(id)).pages[0]?.diff).toEqual({ json: { price: { previous: "5 €", current: "6 €" } } });
  });
});

test("modes json and git-diff together give the lines and the fields", async () => {
  const { pages } = await checksOf(["json", "git-diff"], [product("4 €"), product("4 €", "Frozen"), product("5 €")]);
  expect(pages.map((page) => page?.status)).toEqual(["new", "changed", "changed"]);
  expect(pages[1]?.diff).toMatchObject({ text: expect.stringContaining("+Frozen from"), json: {} });
  expect(pages[2]).toMatchObject({
    diff: { text: expect.stringContaining("5 €"), json: { price: { previous: "4 €", current: "5 €" } } },
    snapshot: { json: { price: "5 €" } },
  });
});

test("mode git-diff gives the lines, as without changeTracking", async () => {
  const { pages } = await checksOf(["git-diff"], [product("4 €"), product("5 €")]);
  expect(pages[1]?.diff).toMatchObject({ text: expect.stringContaining("5 €"), json: { files: [expect.any(Object)] } });
  expect(pages[1]).not.toHaveProperty("snapshot");
});

test("the history of a monitor is its own: other scrapes of the page do not change it", async () => {
  const { service, id } = await checksOf(["json"], [product("4 €")]);
  service.web[PRICES_URL] = product("5 €");
  const scrape = await service.post("/v2/scrape", {
    url: PRICES_URL,
    formats: ["markdown", tracking(["json"])],
    maxAge: 0,
  });
  expect(await scrape.json()).toMatchObject({ data: { changeTracking: { changeStatus: "new" } } });
  expect((await service.run(id)).pages[0]?.diff).toEqual({ json: { price: { previous: "4 €", current: "5 €" } } });
});

describe("after an upgrade", () => {
  const CONVERTED = "UPDATE monitor_states SET text = text || ' ***', text_hash = 'before'";
  const OTHER = "source = json_set(source, '$.converter', 'before')";

  test.each([
    { modes: ["git-diff"], page: product("4 €"), set: `, ${OTHER}`, status: "same" },
    { modes: ["json", "git-diff"], page: product("4 €"), set: `, ${OTHER}`, status: "same" },
    { modes: ["git-diff"], page: product("5 €"), set: `, ${OTHER}`, status: "changed" },
    { modes: ["git-diff"], page: product("4 €"), set: ", source = NULL", status: "changed" },
    { modes: ["git-diff"], page: product("4 €"), set: "", status: "changed" },
  ])("a page that was converted otherwise is $status ($modes, $set)", async ({ modes, page, set, status }) => {
    const { service, id } = await checksOf(modes, [product("4 €")]);
    await service.database.prepare(CONVERTED + set).run();
    service.web[PRICES_URL] = page;
    expect((await service.run(id)).pages[0]).toMatchObject({ status });
    expect((await service.run(id)).pages[0]).toMatchObject({ status: "same" });
  });
});
