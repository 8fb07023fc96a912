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
