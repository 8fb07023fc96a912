import { describe, expect, test } from "vitest";
import { documentKind, promisedKind } from "../../../../../src/content/documents/kind/kind.ts";
import { strToU8, zipSync } from "fflate";
import { fixture } from "../fixture.ts";
import { sharedArchive } from "../../../../fakes/shared-archive.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const kindOf = (bytes: Uint8Array | string, contentType?: string, name = "https://example.com/x"): string | undefined =>
  documentKind({ contentType, name, bytes: typeof bytes === "string" ? encode(bytes) : bytes });

describe("documentKind", () => {
  test.each(["docx", "doc", "odt", "rtf", "xlsx", "xls", "ods", "pptx", "ppt", "odp", "epub"])(
    "knows a .%s file by its bytes, whatever the server says of it",
    (kind) => {
      const bytes = fixture(`sample.${kind}`);
      expect(kindOf(bytes)).toBe(kind);
      expect(kindOf(bytes, "application/octet-stream")).toBe(kind);
      expect(kindOf(bytes, "text/html; charset=utf-8")).toBe(kind);
      expect(kindOf(bytes, "application/zip")).toBe(kind);
    },
  );

  test.each([
    { why: "sent as HTML", bytes: fixture("report.pdf"), type: "text/html" },
    { why: "sent as plain text", bytes: fixture("report.pdf"), type: "text/plain" },
    { why: "after a line end", bytes: encode("\r\n%PDF-1.7\n"), type: undefined },
    { why: "promised but damaged", bytes: encode("nothing"), type: "application/pdf" },
  ])("takes a PDF $why for a PDF", ({ bytes, type }) => {
    expect(kindOf(bytes, type)).toBe("pdf");
  });

  test.each([
    { type: "text/html", body: "hello", kind: "html" },
    { type: "text/html", body: '<?xml version="1.0"?>\n<rss version="2.0"><channel><title>a</title>', kind: "feed" },
    { type: "text/html", body: "<!doctype html><p>About &lt;rss&gt; and <rss></rss>", kind: "html" },
    { type: "application/xhtml+xml", body: "<html/>", kind: "html" },
    { type: "text/plain", body: "<!doctype html><p>x", kind: "text" },
    { type: "text/plain; charset=utf-8", body: '{"a":1}', kind: "text" },
    { type: "text/markdown", body: "# x", kind: "text" },
    { type: "text/css", body: "a{}", kind: "text" },
    { type: "application/javascript", body: "x()", kind: "text" },
    { type: "application/json", body: "[]", kind: "json" },
    { type: "application/ld+json; charset=utf-8", body: "{}", kind: "json" },
    { type: "text/csv", body: "a,b", kind: "csv" },
    { type: "text/tab-separated-values", body: "a\tb", kind: "tsv" },
    { type: "application/rss+xml", body: "<rss/>", kind: "feed" },
    { type: "application/xml", body: '<?xml version="1.0"?><!-- x --><rss version="2.0"/>', kind: "feed" },
    { type: "text/xml", body: '<feed xmlns="http://www.w3.org/2005/Atom"/>', kind: "feed" },
    { type: "application/xml", body: '<rdf:RDF xmlns="http://purl.org/rss/1.0/" xmlns:rdf="x"/>', kind: "feed" },
    { type: "application/xml", body: "<urlset/>", kind: "xml" },
    { type: "application/xml", body: '<html xmlns="http://www.w3.org/1999/xhtml"/>', kind: "html" },
    { type: "image/png", body: "x", kind: "image" },
    { type: "image/heic", body: "x", kind: "binary" },
    { type: "video/mp4", body: "x", kind: "binary" },
    { type: "application/wasm", body: "\u0000asm\u0001", kind: "binary" },
    { type: "application/x-unknown", body: "\u0001\u0002\u0003", kind: "binary" },
    { type: "application/x-bibtex", body: "@book{a, title = {Oaks}}", kind: "text" },
    { type: "application/rss", body: "<rss/>", kind: "feed" },
    { type: "html", body: "<!doctype html><p>x", kind: "html" },
    { type: "text", body: "words", kind: "text" },
    { type: "font/woff", body: "words", kind: "binary" },
  ])("$type with $body is $kind", ({ type, body, kind }) => {
    expect(kindOf(body, type)).toBe(kind);
  });

  test.each([
    { body: "<!DOCTYPE HTML><title>x", kind: "html" },
    { body: "\n  <!-- hello --><html>", kind: "html" },
    { body: '<?xml version="1.0"?><a/>', kind: "xml" },
    { body: '<rss version="2.0"><channel/></rss>', kind: "feed" },
    { body: '{"a": 1}', kind: "json" },
    { body: "[1, 2]", kind: "json" },
    { body: "[Note] a text", kind: "text" },
    { body: "plain words", kind: "text" },
    { body: "\u0000\u0001\u0002", kind: "binary" },
    { body: "\u007fELF\u0001", kind: "binary" },
  ])("reads $body without a type as $kind", ({ body, kind }) => {
    expect(kindOf(body)).toBe(kind);
    expect(kindOf(body, "application/octet-stream")).toBe(kind);
  });

  test.each([
    { name: "https://example.com/data.csv?raw=1#top", body: "a,b", type: "text/plain", kind: "csv" },
    { name: "list.tsv", body: "a\tb", type: "text/plain", kind: "tsv" },
    { name: "https://example.com/data.csv", body: "a,b", type: undefined, kind: "csv" },
    { name: "https://example.com/", body: "a,b", type: undefined, kind: "text" },
    { name: "https://example.csv", body: "a,b", type: undefined, kind: "text" },
    { name: "notes.md", body: "<p>x", type: "application/octet-stream", kind: "text" },
    { name: "page.htm", body: "x", type: undefined, kind: "html" },
    { name: "prices.xls", body: "a;b", type: "application/vnd.ms-excel", kind: "csv" },
    { name: "prices.xls", body: "<html><table>", type: "application/vnd.ms-excel", kind: "html" },
    { name: "report.docx", body: "<!doctype html>Not found", type: undefined, kind: "html" },
    { name: "report.docx", body: "PK\u0003\u0004cut", type: undefined, kind: "docx" },
  ])("lets the name $name speak for $kind", ({ name, body, type, kind }) => {
    expect(kindOf(body, type, name)).toBe(kind);
  });

  test.each([
    { what: "PNG", bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a] },
    { what: "JPEG", bytes: [0xff, 0xd8, 0xff, 0xe0] },
  ])("takes $what for a picture even as text/html", ({ bytes }) => {
    expect(kindOf(Uint8Array.from(bytes), "text/html")).toBe("image");
  });

  test.each([
    { what: "gzip", bytes: [0x1f, 0x8b, 0x08, 0] },
    { what: "MP4", bytes: [0, 0, 0, 0x20, 0x66, 0x74, 0x79, 0x70] },
  ])("takes $what for binary even as text/html", ({ bytes }) => {
    expect(kindOf(Uint8Array.from(bytes), "text/html")).toBe("binary");
  });

  test("reads UTF-16 as text and not as binary", () => {
    expect(kindOf(Uint8Array.from([0xff, 0xfe, 0x61, 0, 0x62, 0]))).toBe("text");
  });

  test("says nothing of an empty body without a type", () => {
    expect(kindOf("")).toBeUndefined();
  });
});

test.each([
  { name: "a.docm", type: undefined, kind: "docx" },
  { name: "a.xlsb", type: undefined, kind: "xlsx" },
  { name: "upload", type: "application/pdf", kind: "pdf" },
  { name: "a.exe", type: "application/octet-stream", kind: undefined },
])("$name of type $type promises $kind", ({ name, type, kind }) => {
  expect(promisedKind(name, type)).toBe(kind);
});

test("only a small mimetype file of an archive is read", () => {
  const stated = "application/vnd.oasis.opendocument.text";
  expect(kindOf(zipSync({ mimetype: strToU8(stated) }))).toBe("odt");
  expect(kindOf(zipSync({ mimetype: strToU8(stated + " ".repeat(300)) }))).toBe("binary");
  expect(
    kindOf(
      sharedArchive(
        Array.from({ length: 50 }, () => "mimetype"),
        1_000,
      ),
    ),
  ).toBe("binary");
});
