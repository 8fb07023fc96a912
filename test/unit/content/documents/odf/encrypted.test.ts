import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import { documentKind } from "../../../../../src/content/documents/kind/kind.ts";
import { readDocument } from "../../../../../src/content/documents/read-document.ts";

const KEY = `<manifest:encryption-data manifest:checksum-type="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0#sha256-1k" manifest:checksum="AAAA"><manifest:algorithm manifest:algorithm-name="http://www.w3.org/2001/04/xmlenc#aes256-cbc" manifest:initialisation-vector="AAAA"/></manifest:encryption-data>`;

/** An archive as LibreOffice writes it: the list of files names those that are encrypted, and how. */
function packageOf(mediaType: string, encrypted: string, content: Uint8Array): Uint8Array {
  const entries = ["content.xml", "Pictures/a.png"].map((path) => {
    return `<manifest:file-entry manifest:full-path="${path}" manifest:media-type="">${path === encrypted ? KEY : ""}</manifest:file-entry>`;
  });
  const manifest = `<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">${entries.join("")}</manifest:manifest>`;
  return zipSync({
    mimetype: [strToU8(mediaType), { level: 0 }],
    "content.xml": [content, { level: 0 }],
    "META-INF/manifest.xml": strToU8(manifest),
  });
}

const read = (kind: "odt" | "odp" | "ods", bytes: Uint8Array) =>
  readDocument(kind, bytes, { contentType: undefined, url: "https://example.com/a" });
const NOISE = Uint8Array.from({ length: 400 }, (_, at) => (at * 151 + 7) % 256);

test.each([
  ["odt", "text"],
  ["odp", "presentation"],
  ["ods", "spreadsheet"],
] as const)("an encrypted .%s is called protected, not damaged", async (kind, name) => {
  const bytes = packageOf(`application/vnd.oasis.opendocument.${name}`, "content.xml", NOISE);
  expect(documentKind({ contentType: undefined, name: "", bytes })).toBe(kind);
  await expect(read(kind, bytes)).rejects.toMatchObject({
    code: "SCRAPE_UNSUPPORTED_FILE_ERROR",
    message: "The document is protected by a password",
  });
});

test("a document of which only a picture is encrypted is read", async () => {
  const content = `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text><text:p>The orchard</text:p></office:text></office:body></office:document-content>`;
  const bytes = packageOf("application/vnd.oasis.opendocument.text", "Pictures/a.png", strToU8(content));
  expect((await read("odt", bytes)).markdown).toBe("The orchard");
});
