import { unzipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { inject } from "../inject.ts";
import { call, hits, sitePage } from "../client.ts";
import { soon } from "../soon.ts";

const PAGES = ["/final", "/articles/seagrass", "/example.pdf"];

interface Job {
  status: string;
  data: { markdown?: string; html?: string; links?: string[]; metadata: { sourceURL: string; cacheState?: string } }[];
}

async function ended(path: string): Promise<Job> {
  let job: Job | undefined;
  await soon(async () => {
    job = JSON.parse((await call(path)).text) as Job;
    return job.status;
  }).toBe("completed");
  return job as Job;
}

const download = (id: string): Promise<Response> =>
  fetch(`${inject("serviceUrl")}/v2/crawl/${id}/archive.wacz`, {
    headers: { authorization: `Bearer ${inject("apiKey")}` },
  });

describe("an archived job", () => {
  test("is downloaded as WACZ, and gives other formats without one request", async () => {
    const urls = PAGES.map(sitePage);
    const started = await call("/v2/batch/scrape", { body: { urls, archive: true, formats: ["links"] } });
    expect(started.status).toBe(200);
    const { id } = started.body as unknown as { id: string };
    await ended(`/v2/batch/scrape/${id}`);

    const response = await download(id);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/wacz");
    const files = unzipSync(new Uint8Array(await response.arrayBuffer()));
    const index = new TextDecoder().decode(files["indexes/index.cdx"]);
    for (const url of urls) expect(index).toContain(`"url":"${url}"`);

    const before = await Promise.all(PAGES.map(hits));
    const body = { formats: ["markdown", "html"] };
    const again = await call(`/v2/crawl/${id}/reextract`, { body });
    expect(again.status, again.text).toBe(200);
    const job = await ended(`/v2/batch/scrape/${(again.body as unknown as { id: string }).id}`);
    expect(job.data.map(({ metadata }) => metadata.sourceURL).toSorted()).toEqual(urls.toSorted());
    for (const { markdown, html, metadata } of job.data) {
      expect(markdown).not.toBe("");
      expect(html).not.toBe("");
      expect(metadata.cacheState).toBe("hit");
    }
    expect(await Promise.all(PAGES.map(hits))).toEqual(before);
  });

  test("of a crawl is one as well; a job without one has none", async () => {
    const body = { url: sitePage("/tree/"), limit: 2, sitemap: "skip" };
    const [archived, other] = await Promise.all([
      call("/v2/crawl", { body: { ...body, archive: true } }),
      call("/v2/crawl", { body }),
    ]);
    const ids = [archived, other].map((answer) => (answer.body as unknown as { id: string }).id);
    await Promise.all(ids.map((id) => ended(`/v2/crawl/${id}`)));
    expect((await download(ids[0] ?? "")).status).toBe(200);
    expect((await download(ids[1] ?? "")).status).toBe(404);
    expect((await call(`/v2/crawl/${ids[1]}/reextract`, { body: {} })).status).toBe(404);
  });

  test("is refused with zero data retention", async () => {
    const body = { url: sitePage("/tree/"), limit: 1, archive: true, zeroDataRetention: true };
    const { status } = await call("/v2/crawl", { body });
    expect([400, 403]).toContain(status);
  });
});
