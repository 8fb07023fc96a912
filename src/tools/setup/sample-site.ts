import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { listenLocally } from "../process/listen-locally.ts";
import { SAMPLE_NOTES } from "./sample-notes.ts";

export interface SampleSite {
  url: string;
  /** `127.0.0.1:<port>`: the one private address that the service needs to reach for it. */
  host: string;
  close(): Promise<void>;
}

const HTML = "text/html; charset=utf-8";
const PAGE_PATH = "/orb-weavers";

/** Serves the sample page, and short pages that it leads to, on a free port of 127.0.0.1. */
export async function startSampleSite(): Promise<SampleSite> {
  const page = await readFile(join(import.meta.dirname, "sample-page.html"));
  const server = createServer((request, response) => {
    const html = request.url === PAGE_PATH ? page : notePage(request.url ?? "");
    response.writeHead(html === undefined ? 404 : 200, { "content-type": html === undefined ? "text/plain" : HTML });
    response.end(html ?? "Only the sample pages are here.\n");
  });
  const host = `127.0.0.1:${await listenLocally(server)}`;
  return {
    url: `http://${host}${PAGE_PATH}`,
    host,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function notePage(path: string): string | undefined {
  const note = path.startsWith(`${PAGE_PATH}/`) ? SAMPLE_NOTES[path.slice(PAGE_PATH.length + 1)] : undefined;
  if (note === undefined) return undefined;
  const paragraphs = note.text.map((text) => `<p>${text}</p>`).join("\n");
  const links = Object.entries(SAMPLE_NOTES).map(([name, { title }]) => `<a href="${PAGE_PATH}/${name}">${title}</a>`);
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${note.title}</title></head><body>`,
    `<nav><a href="${PAGE_PATH}">Orb-weavers</a> ${links.join(" ")}</nav>`,
    `<main><article><h1>${note.title}</h1>\n${paragraphs}</article></main></body></html>`,
  ].join("\n");
}
