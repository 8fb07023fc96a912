import { fileFormats, type FileFormat } from "../../content/documents/kind/file-formats.ts";

import type { Deps } from "../deps.ts";

/** Returns the file formats that `/v2/parse` knows, and whether this deployment can read them. */
export function listFileFormats({ ocr }: Pick<Deps, "ocr">): (FileFormat & { available: boolean })[] {
  return fileFormats().map((format) => ({ ...format, available: format.format !== "image" || ocr !== undefined }));
}
