const POLICY = "connect-src http: https: data: blob:";

/**
 * For documents that are not loaded over the network (`about:blank`, `data:`), whose headers cannot carry a policy. A
 * policy in the document applies from then on, even when its element is removed (HTML § 4.2.5.3).
 */
export function forbidSockets(): void {
  if (location.protocol === "http:" || location.protocol === "https:") return;
  const meta = make("meta");
  meta.setAttribute("http-equiv", "Content-Security-Policy");
  meta.setAttribute("content", POLICY);
  // Missing in documents of other types, which have no type of their own here.
  const { head, documentElement } = document as { head: Element | null; documentElement: Element | null };
  if (head) {
    head.append(meta);
    meta.remove();
    return;
  }
  const addedHead = make("head");
  const added = documentElement ? addedHead : make("html");
  if (added !== addedHead) added.append(addedHead);
  (documentElement ?? document).append(added);
  addedHead.append(meta);
  added.remove();
}

function make(name: string): Element {
  return document.createElementNS("http://www.w3.org/1999/xhtml", name);
}
