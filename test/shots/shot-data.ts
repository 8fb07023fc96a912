/** Time in ms within which a job of the sample data ends. */
const JOB_MS = 60_000;
const POLL_MS = 500;

export interface ServiceAccess {
  url: string;
  key: string;
}

/**
 * Makes jobs, sessions and usage to look at.
 * @param siteUrl Origin of the test site.
 * @returns views of what was made, by name
 */
export async function shotData(service: ServiceAccess, siteUrl: string): Promise<{ name: string; url: string }[]> {
  const ask = async (path: string, body?: object, method = body === undefined ? "GET" : "POST") => {
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await response.json()) as { id?: string; status?: string };
  };
  for (const path of ["/articles/seagrass", "/articles/bell-foundry", "/missing"]) {
    await ask("/v2/scrape", { url: `${siteUrl}${path}` });
  }
  await ask("/v2/map", { url: siteUrl });
  const crawl = await ask("/v2/crawl", { url: `${siteUrl}/`, limit: 40 });
  const batch = await ask("/v2/batch/scrape", { urls: [`${siteUrl}/articles/seagrass`, `${siteUrl}/missing`] });
  await ask("/v2/monitor", {
    name: "Harbour notices",
    schedule: { text: "daily" },
    targets: [{ type: "scrape", urls: [`${siteUrl}/articles/seagrass`] }],
  });
  const recorded = await ask("/v2/browser", { name: "Checkout test", recordSession: true });
  const active = await ask("/v2/browser", { name: "Harbour log", recordSession: true });
  for (const { id } of [recorded, active]) {
    await ask(`/v2/browser/${id}/execute`, { code: `await page.goto(${JSON.stringify(`${siteUrl}/articles/`)})` });
  }
  await ask(`/v2/browser/${recorded.id}`, undefined, "DELETE");
  const until = Date.now() + JOB_MS;
  while ((await ask(`/v2/crawl/${crawl.id}`)).status === "scraping" && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return [
    { name: "crawl", url: `/#/jobs/${crawl.id}` },
    { name: "batch", url: `/#/jobs/${batch.id}` },
    { name: "session-active", url: `/#/sessions/${active.id}` },
    { name: "session-ended", url: `/#/sessions/${recorded.id}` },
    { name: "session-create", url: "/#/sessions?new" },
  ];
}
