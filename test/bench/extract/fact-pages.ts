import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { JsonSchema } from "../../../src/core/json-schema.ts";

const FOLDER = join(import.meta.dirname, "../../fixtures/extract");

/** A page of the set with what is to be read out of it. */
export interface FactPage {
  page: string;
  url: string;
  html: string;
  schema: JsonSchema;
  facts: unknown;
}

export function readFactPages(): FactPage[] {
  const files = globSync("*.json", { cwd: FOLDER }).toSorted();
  return files.map((file) => {
    const page = basename(file, ".json");
    const html = readFileSync(join(FOLDER, `${page}.html`), "utf8");
    return { page, html, ...(JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Omit<FactPage, "page" | "html">) };
  });
}
