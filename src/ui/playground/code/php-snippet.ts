import type { SnippetParts } from "./snippet-parts.ts";

/** Returns the request as a PHP script with the cURL extension. */
export function toPhp({ url, method, json, files, texts }: SnippetParts): string {
  const isForm = files.length > 0 || texts.length > 0;
  const headers = [`"Authorization: Bearer " . getenv("ORBWEAVER_API_KEY")`];
  if (json !== undefined) headers.push(`"Content-Type: application/json"`);
  const fields = [
    ...files.map(([name, file]) => `        ${inPhp(name)} => new CURLFile(${inPhp(file)}),`),
    ...texts.map(([name, text]) => `        ${inPhp(name)} => ${inPhp(text)},`),
  ];
  return [
    "<?php",
    // A nowdoc is not interpolated. Lines of JSON do not begin with its end mark.
    ...(json === undefined ? [] : ["$body = <<<'JSON'", JSON.stringify(json, undefined, 2), "JSON;", ""]),
    `$request = curl_init(${inPhp(url)});`,
    "curl_setopt_array($request, [",
    `    CURLOPT_CUSTOMREQUEST => ${inPhp(method)},`,
    `    CURLOPT_HTTPHEADER => [${headers.join(", ")}],`,
    ...(json === undefined ? [] : ["    CURLOPT_POSTFIELDS => $body,"]),
    ...(isForm ? ["    CURLOPT_POSTFIELDS => [", ...fields, "    ],"] : []),
    "    CURLOPT_RETURNTRANSFER => true,",
    "]);",
    "print_r(json_decode(curl_exec($request), true));",
  ].join("\n");
}

/** Quotes a text in single quotes, in which only the quote and the backslash are escaped. */
function inPhp(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
}
