const RELEASE_AFTER_MS = 10_000;

/** Saves a text or bytes as a file of the browser's downloads. */
export function saveFile(content: BlobPart, name: string, type = "text/plain"): void {
  const url = URL.createObjectURL(new Blob([content], { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), RELEASE_AFTER_MS);
}
