/** GET /v2/parse/formats lists the files that /v2/parse takes. */
import { expect, test } from "vitest";
import { promisedKind, READABLE_KINDS } from "../../../../src/content/documents/kind/kind.ts";
import { testApp } from "../../../fakes/services/test-app.ts";

interface FileFormat {
  format: string;
  kind: string;
  extensions: string[];
  mimeTypes: string[];
  available: boolean;
}

test("lists every kind that can be read, by names that are recognized as it", async () => {
  const response = await testApp().ask("/v2/parse/formats");
  expect(response.status).toBe(200);
  expect(response.headers.get("Cache-Control")).toBe("private, max-age=3600");
  const { success, data } = await response.json<{ success: boolean; data: { formats: FileFormat[] } }>();
  expect(success).toBe(true);
  expect(data.formats.map(({ format }) => format).toSorted()).toEqual([...READABLE_KINDS].toSorted());
  for (const { format, extensions, mimeTypes, available } of data.formats) {
    // Pictures are read by the browser, which this service has not.
    expect(available, format).toBe(format !== "image");
    expect(extensions.length, format).toBeGreaterThan(0);
    expect(mimeTypes.length, format).toBeGreaterThan(0);
    for (const extension of extensions) expect(promisedKind(`file${extension}`, undefined)).toBe(format);
    for (const type of mimeTypes) expect(promisedKind(`file${extensions[0]}`, type)).toBe(format);
  }
});

test("needs a key", async () => {
  expect((await testApp().app.request("/v2/parse/formats")).status).toBe(401);
});
