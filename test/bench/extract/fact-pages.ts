import { basename } from "node:path";
import type { JsonSchema } from "../../../src/core/schema/json-schema.ts";
import { dataFolder } from "../../data-folder.ts";

const FOLDER = dataFolder("test/fixtures/extract");

/** A page of the set with what is to be read out of it. */
export interface FactPage {
  page: string;
  url: string;
  html: string;
  schema: JsonSchema;
  facts: unknown;
}

export function readFactPages(): FactPage[] {
  const files = FOLDER.names().filter((name) => name.endsWith(".json"));
  return files.map((file) => {
    const page = basename(file, ".json");
    const html = FOLDER.text(`${page}.html`);
    return { page, html, ...(JSON.parse(FOLDER.text(file)) as Omit<FactPage, "page" | "html">) };
  });
}
