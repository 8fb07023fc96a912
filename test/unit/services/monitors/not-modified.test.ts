import { expect, test } from "vitest";
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
  const read = async () => await state(id, target?.id ?? "", URL);
  const before = await read();
  monitors.state = async () => before && { ...before, extracted: undefined };
  await pagesOf(service, id);
  const { optionsHash: _, ...validators } = before?.validators ?? { url: URL };
  monitors.state = async () => before && { ...before, validators };
  await pagesOf(service, id);
  monitors.state = state;
  await pagesOf(service, id);
  expect(requests).toEqual([undefined, undefined, undefined, '"1"']);
});
