import { indent, inShell, pythonValue } from "./literals.ts";
import type { SnippetParts } from "./snippet-parts.ts";

export function toCurl({ url, method, json, files, texts }: SnippetParts): string {
  const lines = [`curl ${method === "GET" || json || files.length > 0 ? "" : `-X ${method} `}${inShell(url)}`];
  lines.push(`-H "Authorization: Bearer $ORBWEAVER_API_KEY"`);
  if (json !== undefined) {
    if (method !== "POST") lines.push(`-X ${method}`);
    lines.push(`-H "Content-Type: application/json"`, `-d ${inShell(JSON.stringify(json, undefined, 2))}`);
  }
  // In the value of -F, signs such as ";" and "<" have a meaning.
  for (const [name, file] of files) lines.push(`-F ${inShell(`${name}=@"${file.replaceAll(/[\\"]/g, "\\$&")}"`)}`);
  for (const [name, text] of texts) lines.push(`--form-string ${inShell(`${name}=${text}`)}`);
  return lines.join(" \\\n  ");
}

export function toJavaScript({ url, method, json, files, texts }: SnippetParts): string {
  const before: string[] = [];
  const lines = [`  method: ${JSON.stringify(method)},`];
  const headers = ["Authorization: `Bearer ${process.env.ORBWEAVER_API_KEY}`"];
  if (files.length > 0 || texts.length > 0) {
    before.push("const form = new FormData();");
    for (const [name, file] of files) {
      before.push(
        `form.set(${JSON.stringify(name)}, await openAsBlob(${JSON.stringify(file)}), ${JSON.stringify(file)});`,
      );
    }
    for (const [name, text] of texts) before.push(`form.set(${JSON.stringify(name)}, ${JSON.stringify(text)});`);
    if (files.length > 0) before.unshift('import { openAsBlob } from "node:fs";', "");
    before.push("");
  }
  if (json !== undefined) headers.push('"Content-Type": "application/json"');
  lines.push(`  headers: { ${headers.join(", ")} },`);
  if (json !== undefined) lines.push(`  body: JSON.stringify(${indent(JSON.stringify(json, undefined, 2))}),`);
  if (before.length > 0) lines.push("  body: form,");
  return [
    ...before,
    `const response = await fetch(${JSON.stringify(url)}, {`,
    ...lines,
    "});",
    "console.log(await response.json());",
  ].join("\n");
}

export function toPython({ url, method, json, files, texts }: SnippetParts): string {
  const lines = [`    ${JSON.stringify(url)},`];
  lines.push(`    headers={"Authorization": f"Bearer {os.environ['ORBWEAVER_API_KEY']}"},`);
  if (json !== undefined) lines.push(`    json=${indent(pythonValue(json), 4)},`);
  const opened = files.map(([name, file]) => `${JSON.stringify(name)}: open(${JSON.stringify(file)}, "rb")`);
  if (opened.length > 0) lines.push(`    files={${opened.join(", ")}},`);
  if (texts.length > 0) lines.push(`    data=${indent(pythonValue(Object.fromEntries(texts)), 4)},`);
  return [
    "import os",
    "",
    "import requests",
    "",
    `response = requests.${method.toLowerCase()}(`,
    ...lines,
    ")",
    "print(response.json())",
  ].join("\n");
}
