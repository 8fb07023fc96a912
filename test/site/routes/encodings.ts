import iconv from "iconv-lite";
import { ENCODING_PAGES } from "../encoding-prose.ts";
import type { EncodingPage } from "../encoding-prose.ts";
import type { Exchange, Route } from "../exchange.ts";
import { reply, replyHtml } from "../reply.ts";

type Declaration = "header" | "meta" | "both" | "none" | "wrong" | "wrong-meta";

/** Pages in many encodings, declared in every way a page can be. */
export const encodings: Route[] = [
  {
    path: "/encoding/:name",
    about: `a page in ${Object.keys(ENCODING_PAGES).join(", ")}; ?declare=header|meta|both|none|wrong (header says another)|wrong-meta (right header, wrong meta); ?old=1 writes the meta as http-equiv`,
    answer: encodedPage,
  },
  {
    path: "/sjis.html",
    about: "Shift_JIS, declared in the meta element only",
    answer: (exchange) => sendEncoded(exchange, ENCODING_PAGES.shift_jis, "meta"),
  },
];

const DECLARATIONS: readonly Declaration[] = ["header", "meta", "both", "none", "wrong", "wrong-meta"];

function encodedPage(exchange: Exchange): void {
  const wanted = exchange.url.searchParams.get("declare") ?? "header";
  sendEncoded(
    exchange,
    ENCODING_PAGES[exchange.params.name ?? ""],
    DECLARATIONS.find((one) => one === wanted),
  );
}

function sendEncoded(exchange: Exchange, page: EncodingPage | undefined, declaration: Declaration | undefined): void {
  if (!page || !declaration) return replyHtml(exchange, "<p>No such encoding or declaration.</p>", 404);
  const inHeader = {
    header: page.charset,
    both: page.charset,
    "wrong-meta": page.charset,
    wrong: otherThan(page),
    meta: "",
    none: "",
  };
  const inMeta = {
    meta: page.charset,
    both: page.charset,
    "wrong-meta": otherThan(page),
    header: "",
    wrong: "",
    none: "",
  };
  const isOld = exchange.url.searchParams.get("old") === "1";
  const html = document(page, metaElement(inMeta[declaration], isOld));
  const charset = inHeader[declaration];
  reply(exchange, {
    type: charset === "" ? "text/html" : `text/html; charset=${charset}`,
    body: iconv.encode(html, page.codec, { addBOM: page.bom ?? false }),
  });
}

/** A charset that gives wrong text for the page's bytes. */
function otherThan({ charset }: EncodingPage): string {
  return charset === "utf-8" ? "iso-8859-1" : "utf-8";
}

function metaElement(charset: string, isOld: boolean): string {
  if (charset === "") return "";
  return isOld
    ? `<meta http-equiv="Content-Type" content="text/html; charset=${charset}">`
    : `<meta charset="${charset}">`;
}

function document({ prose }: EncodingPage, meta: string): string {
  const { language, title, paragraphs } = prose;
  const body = paragraphs.map((text) => `<p>${text}</p>`).join("\n");
  return `<!doctype html>
<html lang="${language}">
<head>
${meta}
<title>${title}</title>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
}
