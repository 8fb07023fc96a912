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
