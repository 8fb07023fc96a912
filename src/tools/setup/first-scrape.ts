import { z } from "zod";

const Answer = z.object({
  success: z.boolean(),
  error: z.string().optional(),
  data: z
    .object({
      markdown: z.string(),
      warning: z.string().optional(),
      metadata: z.object({ title: z.unknown() }).partial(),
    })
    .optional(),
});

export interface FirstScrape {
  markdown: string;
  warning: string | undefined;
  ms: number;
}

const TIMEOUT_MS = 90_000;

/**
 * Scrapes one page over HTTP, as any client would.
 * @throws Error that says what to do, when the page could not be had.
 */
export async function firstScrape(service: { url: string; key: string }, pageUrl: string): Promise<FirstScrape> {
  const startedAt = performance.now();
  const response = await fetch(`${service.url}/v2/scrape`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
    body: JSON.stringify({ url: pageUrl, formats: ["markdown"], maxAge: 0 }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  const ms = Math.round(performance.now() - startedAt);
  const answer = readAnswer(text);
  if (answer?.success === true && answer.data !== undefined) {
    return { markdown: answer.data.markdown, warning: answer.data.warning, ms };
  }
  throw new Error(
    `${pageUrl} was not scraped (${response.status}): ${answer?.error ?? text.slice(0, 300)}${adviceFor(text)}`,
  );
}

function readAnswer(text: string): z.infer<typeof Answer> | undefined {
  try {
    return Answer.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function adviceFor(text: string): string {
  if (/private|not allowed|reserved/i.test(text)) {
    return "\nTo scrape a site on this machine or network, name its host: ALLOW_PRIVATE_HOSTS=127.0.0.1,localhost npm start";
  }
  if (/DNS|resol|not found|ENOTFOUND/i.test(text)) return "\nCheck the address, and that this machine has a network.";
  return "";
}
