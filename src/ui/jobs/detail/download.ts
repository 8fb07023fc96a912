import { strToU8, zipSync } from "fflate";
import { ApiError, ask, askFile, failureOf, send } from "../../api/client.ts";
import { pathOfLink } from "../../api/read-parts.ts";
import type { ShownDocument } from "../../playground/response/documents.ts";
import { saveAs } from "../../parts/download/save-as.ts";
import type { Job } from "../job-types.ts";
import type { CrawlStatus } from "../crawl-types.ts";
import type { DownloadKind } from "./downloads.ts";
import { fileNames } from "./file-names.ts";

const PAGE_SIZE = 100;

interface DownloadRequest {
  job: Job;
  onPages: (count: number) => void;
}

/** Reads all results of a crawl or batch and saves them as a file. @throws ApiError */
export async function download(kind: DownloadKind, request: DownloadRequest): Promise<void> {
  const { id, kind: of, target } = request.job;
  const name = `${of === "crawl" ? "crawl" : "batch"}-${hostOf(target)}-${id.slice(-6)}`;
  if (kind === "csv") return saveAs(await allLines(id), `${name}-urls.csv`, "text/csv");
  if (kind === "wacz") return await saveArchive(id, name);
  const documents = await allDocuments(request);
  if (kind === "jsonl") {
    const lines = documents.map((document) => `${JSON.stringify(document)}\n`);
    return saveAs(lines, `${name}.jsonl`, "application/jsonl");
  }
  if (documents.length > 0 && documents.every(({ markdown }) => markdown === undefined))
    throw new ApiError("The pages have no Markdown. Download JSONL, which has all of their formats.", { status: 0 });
  saveAs([toZip(documents)], `${name}.zip`, "application/zip");
}

async function allDocuments({ job, onPages }: DownloadRequest): Promise<ShownDocument[]> {
  const documents: ShownDocument[] = [];
  let next: string | undefined = `${job.statusPath}?limit=${PAGE_SIZE}`;
  while (next !== undefined) {
    const answer: CrawlStatus = await ask<CrawlStatus>(next);
    documents.push(...answer.data);
    onPages(documents.length);
    next = answer.next === undefined ? undefined : pathOfLink(answer.next);
  }
  return documents;
}

/** Reads all parts of the list by their `Link` headers (RFC 8288). Each part repeats the header line. */
async function allLines(id: string): Promise<string[]> {
  const parts: string[] = [];
  let next: string | undefined = `/v2/crawl/${id}/urls?format=csv&limit=10000`;
  while (next !== undefined) {
    const answer = await send(next);
    const failure = answer.status === 200 ? undefined : failureOf(answer);
    if (failure !== undefined) throw failure;
    const start = parts.length === 0 ? 0 : answer.text.indexOf("\n") + 1;
    parts.push(answer.text.slice(start));
    next = nextOf(answer.headers);
  }
  return parts;
}

/** Saves each part of the archive as a file of its own: a part is a whole WACZ. */
async function saveArchive(id: string, name: string): Promise<void> {
  let next: string | undefined = `/v2/crawl/${id}/archive.wacz`;
  for (let part = 1; next !== undefined; part++) {
    const { file, headers }: Awaited<ReturnType<typeof askFile>> = await askFile(next);
    saveAs([file], `${name}${part === 1 ? "" : `-${part}`}.wacz`, "application/wacz");
    next = nextOf(headers);
  }
}

/** Returns path and query of the next part (`Link`, RFC 8288). */
function nextOf(headers: Headers): string | undefined {
  const link = /<([^>]+)>;\s*rel="next"/.exec(headers.get("Link") ?? "")?.[1];
  return link === undefined ? undefined : pathOfLink(link);
}

/** Returns a ZIP archive with one Markdown file per page, in folders as in its URL, with front matter (URL, title). */
function toZip(documents: readonly ShownDocument[]): Blob {
  const names = fileNames(documents.map(({ metadata }) => String(metadata?.["url"] ?? metadata?.["sourceURL"] ?? "")));
  const files: Record<string, Uint8Array> = {};
  documents.forEach(({ markdown = "", metadata = {} }, at) => {
    const head = [
      "---",
      `url: ${JSON.stringify(metadata["url"] ?? metadata["sourceURL"] ?? "")}`,
      `title: ${JSON.stringify(metadata["title"] ?? "")}`,
      "---",
      "",
    ];
    files[names[at] ?? `${at}.md`] = strToU8(`${head.join("\n")}\n${markdown}\n`);
  });
  return new Blob([new Uint8Array(zipSync(files, { level: 6 }))]);
}

function hostOf(site: string): string {
  return URL.canParse(site) ? new URL(site).hostname : "site";
}
