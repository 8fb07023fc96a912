import type { Operation } from "../api/openapi.ts";
import type { Values } from "./request/body.ts";
import { pathOf } from "./request/request.ts";
import type { PlaygroundRequest } from "./request/request.ts";

export const LANGUAGES = ["curl", "JavaScript", "Python"] as const;
export type Language = (typeof LANGUAGES)[number];

interface Parts {
  url: string;
  method: string;
  json: Values | undefined;
  /** Name and file name of each file of a form. */
  files: [name: string, file: string][];
  /** Text fields of a form. */
  texts: [name: string, text: string][];
}

/** Returns the request as code. It reads the key from `ORBWEAVER_API_KEY`, so that copied code holds no secret. */
export function snippetOf(
  language: Language,
  { operation, request, origin }: { operation: Operation; request: PlaygroundRequest; origin: string },
): string {
  const isForm = operation.body?.kind === "multipart";
  const entries = Object.entries(request.body);
  const parts: Parts = {
    url: `${origin}${pathOf(operation, request.parameters)}`,
    method: operation.method.toUpperCase(),
    json: operation.body === undefined || isForm ? undefined : request.body,
    files: isForm ? entries.flatMap(([name, value]) => (value instanceof File ? [[name, value.name]] : [])) : [],
    texts: isForm
      ? entries.flatMap(([name, value]) =>
          value instanceof Blob ? [] : [[name, typeof value === "string" ? value : JSON.stringify(value)]],
        )
      : [],
  };
  return { curl: toCurl, JavaScript: toJavaScript, Python: toPython }[language](parts);
}

function toCurl({ url, method, json, files, texts }: Parts): string {
  const lines = [`curl ${method === "GET" || json || files.length > 0 ? "" : `-X ${method} `}${inShell(url)}`];
  lines.push(`-H "Authorization: Bearer $ORBWEAVER_API_KEY"`);
  if (json !== undefined) {
    if (method !== "POST") lines.push(`-X ${method}`);
    lines.push(`-H "Content-Type: application/json"`, `-d ${inShell(JSON.stringify(json, undefined, 2))}`);
  }
  for (const [name, file] of files) lines.push(`-F ${inShell(`${name}=@${file}`)}`);
  for (const [name, text] of texts) lines.push(`-F ${inShell(`${name}=${text}`)}`);
  return lines.join(" \\\n  ");
}

function toJavaScript({ url, method, json, files, texts }: Parts): string {
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

function toPython({ url, method, json, files, texts }: Parts): string {
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

/** Quotes a text for the shell. In single quotes only the quote itself needs escaping. */
function inShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function indent(text: string, width = 2): string {
  return text.replaceAll("\n", `\n${" ".repeat(width)}`);
}

/** Returns a JSON value as a Python literal. */
export function pythonValue(value: unknown, depth = 0): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = " ".repeat((depth + 1) * 4);
  const end = `\n${" ".repeat(depth * 4)}`;
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return `[${value.map((item) => `\n${inner}${pythonValue(item, depth + 1)},`).join("")}${end}]`;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return "{}";
  return `{${entries.map(([name, item]) => `\n${inner}${JSON.stringify(name)}: ${pythonValue(item, depth + 1)},`).join("")}${end}}`;
}
