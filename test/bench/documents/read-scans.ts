import { readFileSync } from "node:fs";
import { startService } from "../../e2e/service.ts";
import { LETTER_SIZE, LETTERS } from "../../site/letters.ts";
import { picturePdf } from "../../site/picture-pdf.ts";
import { startSite } from "../../site/start-site.ts";
import { table } from "../load/table.ts";
import { wordRecall } from "./check-assertion.ts";
import type { DocumentCase } from "./document-cases.ts";

interface Scan {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** The words that it holds. */
  text: string;
}

interface Answer {
  data?: { markdown?: string; warning?: string; metadata: { numPages?: number } };
  error?: string;
  receipt?: { browserMs: number };
}

const TIMEOUT_MS = 240_000;
const TURNS = [0, 90, 180, 270] as const;

/** Reads scans and pictures by a service of its own, and prints the share of their words that each reading has. */
export async function measureScans(cases: readonly DocumentCase[]): Promise<void> {
  const site = await startSite();
  const service = await startService();
  try {
    const scans = [...cases.flatMap(toScan), ...(await turnedLetters(service, site.url))];
    const rows: (string | number)[][] = [];
    // The first reading starts a browser and loads the recognition.
    if (scans[0] !== undefined) await read(service, scans[0]);
    for (const scan of scans) {
      const startedAtMs = performance.now();
      const { data, error, receipt } = await read(service, scan);
      const pages = data?.metadata.numPages ?? 1;
      const ms = (performance.now() - startedAtMs) / pages;
      rows.push([
        scan.name,
        wordRecall(scan.text, data?.markdown ?? ""),
        ms,
        (receipt?.browserMs ?? Number.NaN) / pages,
        error ?? data?.warning ?? "",
      ]);
    }
    console.log(
      `\nscans and pictures\n\n${table(["file", "word recall", "ms a page", "browser ms", "warning"], rows)}`,
    );
  } finally {
    await service.stop();
    await site.close();
  }
}

function toScan({ id, isKeptAside, path, asserts }: DocumentCase): Scan[] {
  const text = asserts.find(({ type }) => type === "words")?.text;
  if (text === undefined) return [];
  return [{ name: isKeptAside ? `${id}, kept aside` : id, bytes: new Uint8Array(readFileSync(path)), text }];
}

type Service = Awaited<ReturnType<typeof startService>>;

/** Returns PDFs of a letter of known text, each turned another way, as a browser draws the letter. */
async function turnedLetters(service: Service, siteUrl: string): Promise<Scan[]> {
  const formats = [{ type: "screenshot", fullPage: false, quality: 80, viewport: LETTER_SIZE }];
  const drawn = await send(service, "/v2/scrape", JSON.stringify({ url: `${siteUrl}/letter/eng`, formats }), {
    "content-type": "application/json",
  });
  const { data } = (await drawn.json()) as { data: { screenshot: string } };
  const response = await fetch(data.screenshot, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const picture = { bytes: new Uint8Array(await response.arrayBuffer()), filter: "DCTDecode" as const, ...LETTER_SIZE };
  const text = LETTERS.eng.paragraphs.join(" ");
  return TURNS.map((turned) => ({
    name: `letter turned by ${turned}°`,
    bytes: picturePdf([{ picture, turned }]),
    text,
  }));
}

async function read(service: Service, { name, bytes }: Scan): Promise<Answer> {
  const form = new FormData();
  form.set(
    "file",
    new Blob([bytes]),
    name.includes("letter") ? "letter.pdf" : name.replace(/, kept aside$/, "").replace(/^.*\//, ""),
  );
  form.set("options", JSON.stringify({ parsers: ["pdf", "image"], timeout: TIMEOUT_MS }));
  const response = await send(service, "/v2/parse", form);
  return (await response.json()) as Answer;
}

function send(service: Service, path: string, body: FormData | string, headers = {}): Promise<Response> {
  return fetch(`${service.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.key}`, ...headers },
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}
