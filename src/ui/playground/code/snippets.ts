import type { Operation } from "../../api/openapi.ts";
import { pathOf } from "../request/request.ts";
import type { PlaygroundRequest } from "../request/request.ts";
import { toGo } from "./go-snippet.ts";
import { toPhp } from "./php-snippet.ts";
import { toRuby } from "./ruby-snippet.ts";
import { toCurl, toJavaScript, toPython } from "./script-snippets.ts";
import { hasSdkCall, toJavaScriptSdk, toPythonSdk } from "./sdk-snippets.ts";
import type { SnippetParts } from "./snippet-parts.ts";

const WRITERS = {
  curl: toCurl,
  JavaScript: toJavaScript,
  Python: toPython,
  Go: toGo,
  PHP: toPhp,
  Ruby: toRuby,
  "JavaScript SDK": toJavaScriptSdk,
  "Python SDK": toPythonSdk,
} as const;

export type Language = keyof typeof WRITERS;

/** Returns the languages in which an operation can be written. The official SDKs have the common operations only. */
export function languagesOf(operation: Pick<Operation, "id">): Language[] {
  const all = Object.keys(WRITERS) as Language[];
  return hasSdkCall(operation.id) ? all : all.filter((name) => !name.endsWith(" SDK"));
}

/** Returns the request as code. It reads the key from `ORBWEAVER_API_KEY`, so that copied code holds no secret. */
export function snippetOf(
  language: Language,
  { operation, request, origin }: { operation: Operation; request: PlaygroundRequest; origin: string },
): string {
  const isForm = operation.body?.kind === "multipart";
  const entries = Object.entries(request.body);
  const parts: SnippetParts = {
    origin,
    url: `${origin}${pathOf(operation, request.parameters)}`,
    method: operation.method.toUpperCase(),
    operation: operation.id,
    json: operation.body === undefined || isForm ? undefined : request.body,
    files: isForm ? entries.flatMap(([name, value]) => (value instanceof File ? [[name, value.name]] : [])) : [],
    texts: isForm
      ? entries.flatMap(([name, value]) =>
          value instanceof Blob ? [] : [[name, typeof value === "string" ? value : JSON.stringify(value)]],
        )
      : [],
  };
  return WRITERS[language](parts);
}
