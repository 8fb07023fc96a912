/** Media types that Chromium runs worker scripts, or shows documents, of all the same. */
export const ODD_TYPES: Record<string, string | undefined> = {
  any: "*/*",
  attachment: "text/javascript",
  html: "text/html",
  json: "application/json",
  legacy: "text/jscript",
  none: undefined,
  plain: "text/plain",
  unknown: "application/unknown",
};
