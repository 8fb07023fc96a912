import { extname } from "node:path";
import { dataFolder } from "../../data-folder.ts";
import type { Exchange, Route } from "../exchange.ts";
import { LETTERS, letterHtml, type LetterName } from "../letters.ts";
import { makeScannedPdf, makeTextPdf } from "../make-pdf.ts";
import { escapeHtml, reply, replyHtml } from "../reply.ts";
import { simplePage } from "../render.ts";

const FIXTURES = dataFolder("test/fixtures/documents");

/** Media types as registered with IANA. */
const TYPES: Record<string, string> = {
  ".pdf": "application/pdf",
  ".doc": "application/msword",
  ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ".odt": "application/vnd.oasis.opendocument.text",
  ".rtf": "application/rtf",
  ".xls": "application/vnd.ms-excel",
  ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  ".ods": "application/vnd.oasis.opendocument.spreadsheet",
  ".csv": "text/csv; charset=utf-8",
  ".tsv": "text/tab-separated-values; charset=utf-8",
  ".ppt": "application/vnd.ms-powerpoint",
  ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  ".odp": "application/vnd.oasis.opendocument.presentation",
  ".epub": "application/epub+zip",
  ".json": "application/json",
  ".xml": "application/xml",
  ".txt": "text/plain; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".html": "text/html; charset=utf-8",
};

/** The text of /example.pdf, page by page. */
const EXAMPLE_PDF_PAGES = [
  {
    heading: "Harrow Bay Harbour Plan",
    lines: [
      "This plan sets out how the inner harbour will be dredged and rebuilt",
      "over three winters. Work starts when the herring fleet has left and",
      "stops before the first visiting yachts arrive in April.",
      "",
      "The council voted for the plan on 12 March 2024, nine votes to two.",
    ],
  },
  {
    heading: "Costs and funding",
    lines: [
      "Dredging 41,000 cubic metres of silt: 612,000 pounds.",
      "New oak fenders along the east quay: 148,500 pounds.",
      "Lighting and cable ducts: 73,250 pounds.",
      "",
      "Two thirds are paid by the regional coast fund, one third by berth fees.",
    ],
  },
  {
    heading: "Timetable",
    lines: [
      "Winter 1: east quay and the slipway.",
      "Winter 2: the fish market front and the ferry berth.",
      "Winter 3: the outer mole, if the weather allows.",
    ],
  },
];

/** Documents: two PDFs made here, and every file of test/fixtures/documents. */
export const documents: Route[] = [
  {
    path: "/letter/:name",
    about:
      "a letter of known text that fills a sheet, for pictures of it: eng or deu; ?paragraph= for one of its paragraphs",
    answer(exchange) {
      const name = Object.keys(LETTERS).find((each): each is LetterName => each === exchange.params["name"]);
      const paragraph = exchange.url.searchParams.get("paragraph");
      replyHtml(exchange, letterHtml(name ?? "eng", paragraph === null ? undefined : Number(paragraph)));
    },
  },
  { path: "/example.pdf", about: "a PDF of 3 pages with text", answer: (exchange) => sendPdf(exchange, examplePdf()) },
  {
    path: "/scanned.pdf",
    about: "a PDF of one picture without text",
    answer: (exchange) => sendPdf(exchange, scannedPdf()),
  },
  {
    path: "/broken.pdf",
    about: "the first 600 bytes of /example.pdf",
    answer: (exchange) => sendPdf(exchange, examplePdf().subarray(0, 600)),
  },
  {
    path: "/download.pdf",
    about: "/example.pdf as an attachment (Content-Disposition)",
    answer: (exchange) =>
      reply(exchange, {
        type: "application/pdf",
        headers: { "Content-Disposition": 'attachment; filename="harbour-plan.pdf"' },
        body: examplePdf(),
      }),
  },
  { path: "/documents/", about: "links to every file of test/fixtures/documents", answer: listDocuments },
  { path: "/documents/:name", about: "one file of test/fixtures/documents with its media type", answer: sendDocument },
];

export function examplePdf(): Buffer {
  return makeTextPdf("Harrow Bay Harbour Plan", EXAMPLE_PDF_PAGES);
}

function scannedPdf(): Buffer {
  const [width, height] = [120, 170];
  const grey = Buffer.alloc(width * height, 250);
  for (let line = 20; line < height - 20; line += 10)
    grey.fill(60, line * width + 15, line * width + width - 15 - (line % 40));
  return makeScannedPdf("Scan 0001", { width, height, grey });
}

function sendPdf(exchange: Exchange, body: Buffer): void {
  reply(exchange, { type: "application/pdf", body });
}

function fixtureNames(): string[] {
  return FIXTURES.names().filter((name) => extname(name) in TYPES);
}

function listDocuments(exchange: Exchange): void {
  const items = fixtureNames().map(
    (name) => `<li><a href="/documents/${encodeURIComponent(name)}">${escapeHtml(name)}</a></li>`,
  );
  const main = `<h1>Papers of the harbour office</h1>\n<ul>\n${items.join("\n")}\n</ul>`;
  replyHtml(exchange, simplePage(exchange, { title: "Documents", main }));
}

function sendDocument(exchange: Exchange): void {
  const name = exchange.params.name ?? "";
  if (!fixtureNames().includes(name)) return replyHtml(exchange, "<p>No such document.</p>", 404);
  reply(exchange, {
    type: TYPES[extname(name)] ?? null,
    body: FIXTURES.bytes(name),
  });
}
