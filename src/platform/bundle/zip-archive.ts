import { unzipSync } from "fflate";

/** The part of a JSZip archive that mammoth uses to read. */
interface ZipArchive {
  /** Returns a file, or null when the archive lacks it. */
  file(name: string): { async(type: "uint8array"): Promise<Uint8Array> } | null;
}

/**
 * Takes the place of `jszip` in the Worker (`[alias]` of wrangler.toml). mammoth opens documents with it; the service passes it
 * archives that it has checked and stored without compression (`storeZip`).
 */
export async function loadAsync(archive: ArrayBuffer): Promise<ZipArchive> {
  const files = new Map(Object.entries(unzipSync(new Uint8Array(archive))));
  return {
    file: (name) => {
      const content = files.get(name);
      return content === undefined ? null : { async: async () => content };
    },
  };
}
