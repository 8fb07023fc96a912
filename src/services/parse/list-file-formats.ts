import { fileFormats, type FileFormat } from "../../content/documents/kind/file-formats.ts";

/** Returns the file formats that `/v2/parse` knows, and whether this deployment can read them. */
export function listFileFormats(): (FileFormat & { available: boolean })[] {
  return fileFormats().map((format) => ({ ...format, available: true }));
}
