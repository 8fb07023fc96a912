import type { SnippetParts } from "./snippet-parts.ts";

/** Returns the request as a Ruby script with the standard library. */
export function toRuby({ url, method, json, files, texts }: SnippetParts): string {
  const kind = method.charAt(0) + method.slice(1).toLowerCase();
  const isForm = files.length > 0 || texts.length > 0;
  const fields = [
    ...files.map(([name, file]) => `  [${inRuby(name)}, File.open(${inRuby(file)})],`),
    ...texts.map(([name, text]) => `  [${inRuby(name)}, ${inRuby(text)}],`),
  ];
  return [
    `require "json"`,
    `require "net/http"`,
    "",
    `uri = URI(${inRuby(url)})`,
    `request = Net::HTTP::${kind}.new(uri)`,
    `request["Authorization"] = "Bearer #{ENV.fetch("ORBWEAVER_API_KEY")}"`,
    ...(json === undefined
      ? []
      : [
          `request["Content-Type"] = "application/json"`,
          // Single quotes around the name: the text is not interpolated.
          "request.body = <<'JSON'",
          JSON.stringify(json, undefined, 2),
          "JSON",
        ]),
    ...(isForm ? ["request.set_form([", ...fields, `], "multipart/form-data")`] : []),
    `response = Net::HTTP.start(uri.hostname, uri.port, use_ssl: uri.scheme == "https", read_timeout: 300) do |http|`,
    "  http.request(request)",
    "end",
    "puts JSON.pretty_generate(JSON.parse(response.body))",
  ].join("\n");
}

/** Quotes a text in single quotes, in which only the quote and the backslash are escaped. */
function inRuby(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", String.raw`\'`)}'`;
}
