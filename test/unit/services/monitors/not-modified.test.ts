import { expect, test, vi } from "vitest";
import type { EngineOutcome } from "../../../../src/core/scrape/page.ts";
import type { PageRequest } from "../../../../src/engines/engine.ts";
import { monitorService, PRICES, pricePage } from "../../../fakes/services/monitor-service.ts";

const URL = "https://a.example/";

/** A page with a validator, and the requests for it. */
function site() {
  const page = { words: "Cod costs 4", etag: '"1"', finalUrl: URL };
  const requests: (string | undefined)[] = [];
  const load = async ({ validators }: PageRequest): Promise<EngineOutcome> => {
    requests.push(validators?.etag);
    const isSame = validators?.etag === page.etag;
    const loaded = {
      engine: "fetch" as const,
      url: page.finalUrl,
      statusCode: isSame ? 304 : 200,
      headers: { etag: page.etag },
      contentType: "text/html",
      body: isSame ? "" : pricePage(page.words),
      warnings: [],
    };
    return { kind: "loaded", page: loaded };
  };
  return { page, requests, load };
}

const pagesOf = async (service: ReturnType<typeof monitorService>, id: string) => (await service.run(id)).pages;

test("a page that the site states to be unchanged costs one conditional request and no credits", async () => {
  const { page, requests, load } = site();
  const service = monitorService({ ports: { engines: [{ engine: "fetch", provides: new Set(), load }] } });
  const id = await service.create(PRICES);
  expect(await pagesOf(service, id)).toMatchObject([{ status: "new", statusCode: 200 }]);
  const second = await service.run(id);
  expect(second.pages).toMatchObject([{ status: "same", statusCode: 304, currentScrapeId: null }]);
  expect(second).toMatchObject({ actualCredits: 0 });
  page.words = "Cod costs 5";
  page.etag = '"2"';
  expect(await pagesOf(service, id)).toMatchObject([{ status: "changed", statusCode: 200 }]);
  expect(await pagesOf(service, id)).toMatchObject([{ status: "same", statusCode: 304 }]);
  expect(requests).toEqual([undefined, '"1"', '"1"', '"2"']);
});

test("another page with the same validator is read", async () => {
  const { page, requests, load } = site();
  const service = monitorService({ ports: { engines: [{ engine: "fetch", provides: new Set(), load }] } });
  const id = await service.create(PRICES);
  await pagesOf(service, id);
  page.finalUrl = "https://a.example/elsewhere";
  page.words = "Cod costs 6";
  expect(await pagesOf(service, id)).toMatchObject([{ status: "changed", statusCode: 200 }]);
  expect(requests).toEqual([undefined, '"1"', undefined]);
});

test.each([
  { what: "304", isDated: false },
  { what: "its sitemap", isDated: true },
])(
  "the search index is asked about a page that is unchanged by $what when its entry may be due",
  async ({ isDated }) => {
    const { service, id } = isDated ? await datedSite() : await plainSite();
    const { pageIndex, settings } = service.deps;
    const confirm = vi.spyOn(pageIndex, "confirm");
    const check = async (share: number): Promise<string[]> => {
      service.clock.advance(settings.indexRetentionMs * share);
      confirm.mockClear();
      expect(await pagesOf(service, id)).toMatchObject([{ status: "same" }]);
      return confirm.mock.calls.flatMap(([, urls]) => urls);
    };
    expect(await check(0)).toEqual([]);
    expect(await check(0.2)).toEqual([]);
    expect(await check(0.1)).toEqual([URL]);
    expect(await check(0.2)).toEqual([]);
    expect(await check(0.1)).toEqual([URL]);
  },
);

const FORMATS = (properties: object, modes = ["json"]) => ({
  formats: [{ type: "changeTracking", modes, schema: { type: "object", properties } }],
});
const PRICE = { price: { type: "string" } };

/** Changes the scrape options of the monitor's only target. */
async function edit(service: ReturnType<typeof monitorService>, id: string, scrapeOptions: object): Promise<void> {
  const [target] = (await service.monitor(id)).targets;
  expect((await service.patch(id, { targets: [{ ...target, scrapeOptions }] })).status).toBe(200);
}

test.each([
  { what: "another part of the page", before: {}, after: { includeTags: ["article"] } },
  { what: "fields besides its text", before: {}, after: FORMATS(PRICE) },
  { what: "other fields", before: FORMATS(PRICE), after: FORMATS({ stock: { type: "string" } }) },
])("a page is read once without validators after an edit asks for $what", async ({ before, after }) => {
  const { page, requests, load } = site();
  page.words = "Price: 4 €</p><p>Stock: Plenty";
  const service = monitorService({ ports: { engines: [{ engine: "fetch", provides: new Set(), load }] } });
  const id = await service.create({ ...PRICES, targets: [{ type: "scrape", urls: [URL], scrapeOptions: before }] });
  await pagesOf(service, id);
  await edit(service, id, before);
  expect(await pagesOf(service, id)).toMatchObject([{ status: "same", statusCode: 304 }]);
  await edit(service, id, after);
  expect(await pagesOf(service, id)).toMatchObject([{ statusCode: 200 }]);
  expect(await pagesOf(service, id)).toMatchObject([{ status: "same", statusCode: 304 }]);
  expect(requests).toEqual([undefined, '"1"', undefined, '"1"']);
});

test("a page whose data were not stored, or whose state names no options, is read without validators", async () => {
  const { page, requests, load } = site();
  page.words = "Price: 4 €";
  const service = monitorService({ ports: { engines: [{ engine: "fetch", provides: new Set(), load }] } });
  const targets = [{ type: "scrape", urls: [URL], scrapeOptions: FORMATS(PRICE) }];
  const id = await service.create({ ...PRICES, targets });
  await pagesOf(service, id);
  const [target] = (await service.monitor(id)).targets;
  const { monitors } = service.deps;
  const { state } = monitors;
  const read = async () => (await state(id, { targetId: target?.id ?? "", revision: undefined, url: URL }))?.state;
  const before = await read();
  monitors.state = async () => before && { state: { ...before, extracted: undefined } };
  await pagesOf(service, id);
  const { optionsHash: _, ...validators } = before?.validators ?? { url: URL };
  monitors.state = async () => before && { state: { ...before, validators } };
  await pagesOf(service, id);
  monitors.state = state;
  await pagesOf(service, id);
  expect(requests).toEqual([undefined, undefined, undefined, '"1"']);
});

const DAY_MS = 86_400_000;

/** A site without a sitemap, and a monitor of its page. */
async function plainSite() {
  const { load } = site();
  const service = monitorService({ ports: { engines: [{ engine: "fetch", provides: new Set(), load }] } });
  const id = await service.create(PRICES);
  await pagesOf(service, id);
  return { service, id };
}

/** A site whose sitemap dates its pages, and a monitor of it. */
async function datedSite() {
  const { page, requests, load } = site();
  const service = monitorService({ ports: { engines: [{ engine: "fetch", provides: new Set(), load }] } });
  const date = (lastmod: string): void => {
    const xml = `<urlset><url><loc>${URL}</loc><lastmod>${lastmod}</lastmod></url></urlset>`;
    service.web[`${URL}sitemap.xml`] = { type: "text/xml", body: xml };
  };
  date("2020-01-01");
  const id = await service.create({ ...PRICES, targets: [{ type: "crawl", url: URL, crawlOptions: { sitemap: "only" } }] }); // prettier-ignore
  expect(await pagesOf(service, id)).toMatchObject([{ status: "new", statusCode: 200 }]);
  requests.splice(0);
  return { page, requests, service, date, id };
}

test("a page of a site whose sitemap has the same date is not requested, and its check costs the list alone", async () => {
  const { page, requests, service, date, id } = await datedSite();
  page.words = "Cod costs 5";
  page.etag = '"2"';
  const second = await service.run(id);
  expect(second.pages).toMatchObject([{ status: "same", statusCode: null, previousScrapeId: expect.any(String) }]);
  expect(second).toMatchObject({ actualCredits: 1 });
  expect(requests).toEqual([]);
  date("2020-01-02");
  expect(await pagesOf(service, id)).toMatchObject([{ status: "changed" }]);
  expect(requests).toEqual(['"1"']);
  expect(await pagesOf(service, id)).toMatchObject([{ status: "same", statusCode: null }]);
  expect(requests).toHaveLength(1);
});

test("a new date on an unchanged page costs one conditional request", async () => {
  const { requests, service, date, id } = await datedSite();
  date("2020-01-02");
  expect(await pagesOf(service, id)).toMatchObject([{ status: "same", statusCode: 304 }]);
  expect(await pagesOf(service, id)).toMatchObject([{ status: "same", statusCode: null }]);
  expect(requests).toEqual(['"1"']);
});

test("a page is requested once a week, whatever its sitemap states", async () => {
  const { page, requests, service, id } = await datedSite();
  page.words = "Cod costs 5";
  page.etag = '"2"';
  service.clock.advance(7 * DAY_MS + 1);
  expect(await pagesOf(service, id)).toMatchObject([{ status: "changed" }]);
  expect(requests).toEqual(['"1"']);
});
