/** Parts of an upload that would have no effect are refused. */
import { expect, test } from "vitest";
import { testApp } from "../../../fakes/services/test-app.ts";

const page = (name: string) => new File(["<p>Tide table</p>"], name, { type: "text/html" });

async function parse(parts: [string, File | string][]): Promise<{ status: number; error?: string }> {
  const body = new FormData();
  for (const [name, value] of parts) body.append(name, value);
  const response = await testApp().ask("/v2/parse", { method: "POST", body });
  const { error } = await response.json<{ error?: string }>();
  return { status: response.status, ...(error === undefined ? {} : { error }) };
}

test.each<{ what: string; parts: [string, File | string][]; error: string }>([
  {
    what: "an option beside `options`",
    parts: [
      ["file", page("a.html")],
      ["formats", '["html"]'],
    ],
    error: 'Unknown part "formats": send the parts `file` and `options`, a JSON text',
  },
  {
    what: "a second file",
    parts: [
      ["file", page("a.html")],
      ["file", page("b.html")],
    ],
    error: "Send one part `file` for each request",
  },
  {
    what: "options twice",
    parts: [
      ["options", "{}"],
      ["file", page("a.html")],
      ["options", "{}"],
    ],
    error: "Send one part `options` for each request",
  },
])("$what is refused", async ({ parts, error }) => {
  expect(await parse(parts)).toEqual({ status: 400, error });
});

test("one file with options and the name of the caller is parsed", async () => {
  const parts: [string, File | string][] = [
    ["options", '{"formats":["html"]}'],
    ["file", page("a.html")],
    ["origin", "x"],
  ];
  expect(await parse(parts)).toEqual({ status: 200 });
});

/** Sends a form whose boundary is `a-line`, in pieces of some bytes. */
async function sendForm(text: string, pieceBytes: number): Promise<unknown> {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += pieceBytes) controller.enqueue(bytes.subarray(at, at + pieceBytes));
      controller.close();
    },
  });
  const headers = { "Content-Type": "multipart/form-data; boundary=a-line" };
  // Node requires `duplex` for a stream.
  const init = { method: "POST", headers, body, duplex: "half" };
  return await (await testApp().ask("/v2/parse", init)).json();
}

test("a form of more than 32 parts is refused before it is parsed, however its bytes arrive", async () => {
  const part = (at: number): string => `--a-line\r\nContent-Disposition: form-data; name="x${at}"\r\n\r\n\r\n`;
  const form = (parts: number): string =>
    Array.from({ length: parts }, (_, at) => part(at)).join("") + "--a-line--\r\n";
  for (const bytes of [7, 1_000, 1_000_000]) {
    expect(await sendForm(form(33), bytes)).toMatchObject({ code: "BAD_REQUEST", error: "The form has more than 32 parts" }); // prettier-ignore
    expect(await sendForm(form(32), bytes)).toMatchObject({ error: expect.stringContaining('Unknown part "x0"') });
  }
});

const DISPOSITION = 'Content-Disposition: form-data; name="file"; filename="a.html"';
const form = (head: string, content = "<p>Tide table</p>"): string =>
  `--a-line\r\n${head}\r\n\r\n${content}\r\n--a-line--\r\n`;

// The parser of the runtime takes more than a second for ten megabytes of a head, during which nobody else is served.
test("a form with a head of more than 8,192 bytes is refused before it is parsed, however its bytes arrive", async () => {
  const error = "The head of a part of the form is longer than 8192 bytes";
  for (const bytes of [7, 1_000, 1_000_000]) {
    for (const text of [
      form(`${DISPOSITION}\r\nContent-Type: text/html${"; charset=utf-8".repeat(1_000)}`),
      form(`${DISPOSITION}\r\nContent-Type: text/html;${" ".repeat(9_000)}x`),
      form(
        'Content-Disposition: form-data; name="options"',
        `{}\r\n${form(`${DISPOSITION}\r\nX: ${"x".repeat(9_000)}`)}`,
      ),
      `before it\r\n${form(`${DISPOSITION}\r\nX: ${"x".repeat(9_000)}`)}`,
      `--a-line${"x".repeat(9_000)}`,
    ]) {
      expect(await sendForm(text, bytes)).toMatchObject({ code: "BAD_REQUEST", error });
    }
  }
});

test.each([
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=a; boundary=b",
  'multipart/form-data; note="; boundary=a"; boundary=b',
  "multipart/form-data; boundary =a",
  "multipart/form-data",
])("a body of the type %s, of which the parts are not counted, is refused before it is parsed", async (type) => {
  const body = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.html"\r\n\r\n<p>x</p>\r\n--b--\r\n`;
  const response = await testApp().ask("/v2/parse", { method: "POST", headers: { "Content-Type": type }, body });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: "Missing file upload: the body is not multipart/form-data" });
});

test.each([
  "multipart/form-data; charset=utf-8; boundary=a-line",
  'multipart/form-data;boundary="a-line"; charset=utf-8',
])("a form of the type %s is parsed", async (type) => {
  const body = `--a-line\r\nContent-Disposition: form-data; name="file"; filename="a.html"\r\nContent-Type: text/html\r\n\r\n<p>Tide table</p>\r\n--a-line--\r\n`;
  const response = await testApp().ask("/v2/parse", { method: "POST", headers: { "Content-Type": type }, body });
  expect(await response.json()).toMatchObject({ success: true, data: { markdown: "Tide table\n" } });
});

test.each(["image/svg+xml", "application/octet-stream"])("a picture in SVG sent as %s gives its text", async (type) => {
  const body = new FormData();
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><text x="10" y="20">Low water at noon</text></svg>';
  body.append("file", new File([svg], "tides.svg", { type }));
  body.append("options", '{"formats":["markdown"],"parsers":["image"]}');
  const response = await testApp().ask("/v2/parse", { method: "POST", body });
  const { data } = await response.json<{ data?: { markdown?: string } }>();
  expect(data?.markdown?.trim()).toBe("Low water at noon");
});
