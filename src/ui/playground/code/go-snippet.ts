import type { SnippetParts } from "./snippet-parts.ts";

/** Returns the request as a Go program with the standard library. */
export function toGo({ url, method, json, files, texts }: SnippetParts): string {
  const isForm = files.length > 0 || texts.length > 0;
  const body = json !== undefined ? jsonBody(json) : isForm ? formBody(files, texts) : [];
  const reader = json !== undefined ? "strings.NewReader(body)" : isForm ? "&body" : "nil";
  const imports = [
    ...(isForm ? ["bytes"] : []),
    "fmt",
    "io",
    ...(isForm ? ["mime/multipart"] : []),
    "net/http",
    "os",
    ...(json !== undefined ? ["strings"] : []),
  ];
  const types = json !== undefined ? `"application/json"` : "form.FormDataContentType()";
  return [
    "package main",
    "",
    "import (",
    ...imports.map((name) => `\t"${name}"`),
    ")",
    "",
    "func main() {",
    ...body,
    `\trequest, err := http.NewRequest(${JSON.stringify(method)}, ${JSON.stringify(url)}, ${reader})`,
    ...PANIC,
    `\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("ORBWEAVER_API_KEY"))`,
    ...(json !== undefined || isForm ? [`\trequest.Header.Set("Content-Type", ${types})`] : []),
    "\tresponse, err := http.DefaultClient.Do(request)",
    ...PANIC,
    "\tdefer response.Body.Close()",
    "\ttext, err := io.ReadAll(response.Body)",
    ...PANIC,
    "\tfmt.Println(string(text))",
    "}",
  ].join("\n");
}

const PANIC = ["\tif err != nil {", "\t\tpanic(err)", "\t}"];

/** A raw string cannot contain a backtick. */
function jsonBody(json: object): string[] {
  const text = JSON.stringify(json, undefined, 2).replaceAll("`", '` + "`" + `');
  return [`\tbody := \`${text}\``];
}

function formBody(files: SnippetParts["files"], texts: SnippetParts["texts"]): string[] {
  return [
    "\tvar body bytes.Buffer",
    "\tform := multipart.NewWriter(&body)",
    ...files.flatMap(([name, file]) => [
      "\t{",
      `\t\tpart, err := form.CreateFormFile(${JSON.stringify(name)}, ${JSON.stringify(file)})`,
      ...PANIC.map((line) => `\t${line}`),
      `\t\tfile, err := os.Open(${JSON.stringify(file)})`,
      ...PANIC.map((line) => `\t${line}`),
      "\t\tio.Copy(part, file)",
      "\t\tfile.Close()",
      "\t}",
    ]),
    ...texts.map(([name, text]) => `\tform.WriteField(${JSON.stringify(name)}, ${JSON.stringify(text)})`),
    "\tform.Close()",
  ];
}
