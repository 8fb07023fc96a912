import { ask } from "../api/client.ts";
import { operationsOf } from "../api/openapi.ts";
import type { OpenApiDocument, Operation } from "../api/openapi.ts";

let loading: Promise<Operation[]> | undefined;

/** What the service offers, loaded once; a failure is tried again. */
export function loadOperations(): Promise<Operation[]> {
  loading ??= ask<OpenApiDocument>("/openapi.json")
    .then(operationsOf)
    .catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
  return loading;
}

/** Those for a newcomer's eyes first: what is started, then what is read; version 1 and the service's own routes last. */
export function groupOperations(operations: readonly Operation[]): { label: string; operations: Operation[] }[] {
  const current = operations.filter(({ path }) => path.startsWith("/v2/"));
  const groups = [
    { label: "Do", operations: current.filter(({ method, path }) => method === "post" && !path.includes("/team/")) },
    { label: "Read", operations: current.filter(({ method, path }) => method === "get" && !path.includes("/team/")) },
    {
      label: "Change and end",
      operations: current.filter(({ method, path }) => !["get", "post"].includes(method) && !path.includes("/team/")),
    },
    { label: "Team", operations: current.filter(({ path }) => path.includes("/team/")) },
    { label: "Version 1", operations: operations.filter(({ path }) => path.startsWith("/v1/")) },
    { label: "Service", operations: operations.filter(({ path }) => !/^\/v[12]\//.test(path)) },
  ];
  return groups.filter((group) => group.operations.length > 0);
}

/** An operation's place in the reference, by the anchors that Swagger UI gives its parts. */
export function referenceOf({ tag, name }: Pick<Operation, "tag" | "name">): string {
  return `/docs#/${encodeURIComponent(tag)}/${encodeURIComponent(name)}`;
}

/** What a form holds when it is first opened. */
export function startingBody(operation: Operation): Record<string, unknown> {
  if (operation.path.endsWith("/scrape") && !operation.path.includes("batch")) return { formats: ["markdown"] };
  if (operation.path.endsWith("/crawl")) return { limit: 20 };
  return {};
}
