import { askOnce } from "../../api/ask-once.ts";
import { operationsOf } from "../../api/openapi.ts";
import type { OpenApiDocument, Operation } from "../../api/openapi.ts";

let loading: Promise<Operation[]> | undefined;

/** Loads the service's operations once. A failed load is repeated on the next call. */
export function loadOperations(): Promise<Operation[]> {
  loading ??= askOnce<OpenApiDocument>("/openapi.json")
    .then(operationsOf)
    .catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
  return loading;
}

/** Groups operations by purpose. Version 1 and the service's own routes are last. */
export function groupOperations(operations: readonly Operation[]): { label: string; operations: Operation[] }[] {
  const current = operations.filter(({ path }) => path.startsWith("/v2/"));
  const groups = [
    {
      label: "Create and run",
      operations: current.filter(({ method, path }) => method === "post" && !path.includes("/team/")),
    },
    { label: "Read", operations: current.filter(({ method, path }) => method === "get" && !path.includes("/team/")) },
    {
      label: "Update and delete",
      operations: current.filter(({ method, path }) => !["get", "post"].includes(method) && !path.includes("/team/")),
    },
    { label: "Team", operations: current.filter(({ path }) => path.includes("/team/")) },
    { label: "API v1", operations: operations.filter(({ path }) => path.startsWith("/v1/")) },
    { label: "Service", operations: operations.filter(({ path }) => !/^\/v[12]\//.test(path)) },
  ];
  return groups.filter((group) => group.operations.length > 0);
}

/** Returns the URL of an operation in the API reference (an anchor of Swagger UI). */
export function referenceOf({ tag, name }: Pick<Operation, "tag" | "name">): string {
  return `/docs#/${encodeURIComponent(tag)}/${encodeURIComponent(name)}`;
}

/** Returns the initial request body of a form. */
export function startingBody(operation: Operation): Record<string, unknown> {
  if (operation.path.endsWith("/scrape") && !operation.path.includes("batch")) return { formats: ["markdown"] };
  if (operation.path.endsWith("/crawl")) return { limit: 20 };
  return {};
}
