/**
 * Programs that run inside pages. They are text and not functions, because a bundler may add helpers to a function that
 * do not exist in the page.
 */

/**
 * Program that runs in every frame before the page's own scripts. A shared worker and WebRTC would open connections
 * that request interception does not see; to a page this looks like a browser without them. A service worker is refused
 * as on an insecure page, and its process never runs. Speculation rules are removed before they are processed (HTML §
 * 7.6.1.2 processes them in a later microtask), since prefetches bypass interception, too.
 */
export const BEFORE_PAGE_SCRIPT = `(() => {
  for (const name of ["SharedWorker", "WebTransport", "WebSocketStream", "RTCPeerConnection", "webkitRTCPeerConnection"]) {
    delete globalThis[name];
  }
  const container = globalThis.ServiceWorkerContainer;
  if (container) {
    container.prototype.register = function register() {
      return Promise.reject(new DOMException("Failed to register a ServiceWorker: not supported.", "NotSupportedError"));
    };
  }
  // The page may replace every one of these later.
  const { apply } = Reflect;
  const { remove, querySelectorAll, getAttribute } = Element.prototype;
  const drop = (element) => {
    if (/^\\s*speculationrules\\s*$/i.test(apply(getAttribute, element, ["type"]) ?? "")) apply(remove, element, []);
  };
  new MutationObserver((changes) => {
    for (let change = 0; change < changes.length; change++) {
      const { addedNodes } = changes[change];
      for (let index = 0; index < addedNodes.length; index++) {
        const node = addedNodes[index];
        if (node.nodeType !== 1) continue;
        if (node.localName === "script") drop(node);
        const scripts = apply(querySelectorAll, node, ["script[type]"]);
        for (let inner = 0; inner < scripts.length; inner++) drop(scripts[inner]);
      }
    }
  }).observe(document, { childList: true, subtree: true });
})()`;

/** Program that returns the ms since the document last changed; its first call starts to observe it. */
export const QUIET_SCRIPT = `(globalThis.quietMs ??= (() => {
  let changedAt = performance.now();
  const observer = new MutationObserver(() => { changedAt = performance.now(); });
  observer.observe(document, { subtree: true, childList: true, characterData: true });
  return () => { if (observer.takeRecords().length > 0) changedAt = performance.now(); return performance.now() - changedAt; };
})())()`;

/**
 * Program that reports whether a scripted page has text to read yet, and in how many ms it redirects. A page with
 * little text that marks its visible content as busy is still loading.
 */
export const PROGRESS_SCRIPT = `(() => {
  const refresh = document.querySelector('meta[http-equiv="refresh" i]')?.content ?? "";
  const [, seconds] = /^\\s*(\\d+(?:\\.\\d+)?)\\s*[;,]\\s*url/i.exec(refresh) ?? [];
  const text = (document.body?.innerText ?? "").trim();
  const busy = '[aria-busy="true"], [role="progressbar"], [class*="spinner" i], [class*="skeleton" i], [class*="loader" i], [class~="loading" i]';
  const isBusy = text.length < 400 && document.querySelector(busy)?.checkVisibility?.() === true;
  const isWord = text.length < 100 && /^(loading|please wait|just a moment|one moment|initiali[sz]ing)\\b/i.test(text);
  return {
    isOnItsWay: document.scripts.length > 0 && (text.length === 0 || isBusy || isWord),
    refreshMs: seconds === undefined ? -1 : Number(seconds) * 1000,
  };
})()`;

/**
 * Returns a program that serialises the page's current HTML, with what outerHTML leaves out: open shadow roots replace
 * the children of their hosts (slots filled), and readable frames become `<div data-original-tag="iframe">`. Its result
 * is { html, isCut, url, timezone }.
 */
export function htmlScript(maxLength: number): string {
  return `(() => {
    const MAX_DEPTH = 8;
    const composed = (root) => [...root.querySelectorAll("*")].some((element) => element.shadowRoot) || root.querySelector("iframe, frame") !== null;
    const bodyOf = (frame) => { try { return frame.contentDocument?.body ?? null; } catch { return null; } };
    const target = document.implementation.createHTMLDocument("");
    const append = (parent, nodes, depth) => { for (const node of nodes) { const copy = copyOf(node, depth); if (copy) parent.append(copy); } };
    const copyFrame = (frame, body, depth) => {
      const copy = target.createElement("div");
      copy.setAttribute("data-original-tag", "iframe");
      for (const name of ["src", "title", "id", "class", "name"]) if (frame.hasAttribute(name)) copy.setAttribute(name, frame.getAttribute(name));
      append(copy, body.childNodes, depth + 1);
      return copy;
    };
    const copyOf = (node, depth) => {
      if (depth > 3000) return null;
      if (node.nodeType !== Node.ELEMENT_NODE) return target.importNode(node, false);
      if (node.localName === "iframe" || node.localName === "frame") {
        const body = frameDepth < MAX_DEPTH ? bodyOf(node) : null;
        if (body && body.childNodes.length > 0) {
          frameDepth += 1;
          const copy = copyFrame(node, body, depth);
          frameDepth -= 1;
          return copy;
        }
      }
      if (node.localName === "slot" && node.getRootNode() instanceof ShadowRoot) {
        const assigned = node.assignedNodes({ flatten: true });
        const fragment = target.createDocumentFragment();
        append(fragment, assigned.length > 0 ? assigned : node.childNodes, depth + 1);
        return fragment;
      }
      const copy = target.importNode(node, node.localName === "template");
      if (node.localName === "template") return copy;
      append(copy, node.shadowRoot ? node.shadowRoot.childNodes : node.childNodes, depth + 1);
      return copy;
    };
    let frameDepth = 0;
    const root = document.documentElement;
    const tree = root && composed(document) ? copyOf(root, 0) : root;
    const { doctype } = document;
    const whole = (doctype ? "<!DOCTYPE " + doctype.name + ">" : "") + (tree?.outerHTML ?? "");
    return {
      html: whole.slice(0, ${maxLength}),
      isCut: whole.length > ${maxLength},
      url: location.href,
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    };
  })()`;
}

/** Returns a program that triggers lazy loading: scrolls to the end, waits for images, and returns to the top. */
export function scrollThroughScript(limits: { maxHeight: number; budgetMs: number }): string {
  return `(async () => {
    const end = Date.now() + ${limits.budgetMs};
    const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const height = () => Math.min(${limits.maxHeight}, document.scrollingElement?.scrollHeight ?? 0);
    let y = 0;
    while (Date.now() < end) {
      // A page that loads more at its end gets a moment to do so.
      if (y >= height()) await pause(250);
      if (y >= height()) break;
      scrollTo({ top: y, behavior: "instant" });
      y += innerHeight;
      await pause(40);
    }
    const images = [...document.images].filter((image) => image.loading !== "lazy" || image.getBoundingClientRect().top + scrollY < ${limits.maxHeight});
    while (images.some((image) => !image.complete) && Date.now() < end) await pause(50);
    scrollTo({ top: 0, behavior: "instant" });
    await pause(50);
  })()`;
}

/** Returns a program that scrolls the page or an element by one screen, or shows an element that cannot scroll. */
export function scrollScript(direction: "up" | "down", selector: string | undefined): string {
  const sign = direction === "down" ? 1 : -1;
  if (selector === undefined) return `void scrollBy({ top: ${sign} * innerHeight, behavior: "instant" })`;
  return `(() => {
    const element = document.querySelector(${JSON.stringify(selector)});
    if (!element) return "missing";
    const before = element.scrollTop;
    element.scrollBy({ top: ${sign} * element.clientHeight, behavior: "instant" });
    if (element.scrollTop === before && element.scrollHeight <= element.clientHeight) element.scrollIntoView({ block: "center", behavior: "instant" });
    return "done";
  })()`;
}

/** Serialises a script's result of any type as JSON. Undefined stays undefined. */
export const TO_JSON_FUNCTION = `function (maxLength) {
  const value = this instanceof Object ? this.value : undefined;
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const seen = [];
  const plain = function (key, item) {
    if (typeof item === "bigint") return item.toString();
    if (typeof item === "function" || typeof item === "symbol") return String(item);
    if (item instanceof Node) return item.outerHTML ?? item.textContent;
    if (item instanceof Map) return Object.fromEntries(item);
    if (item instanceof Set) return [...item];
    if (item instanceof Error) return String(item);
    if (item !== null && typeof item === "object") {
      while (seen.length > 0 && seen[seen.length - 1] !== this) seen.pop();
      if (seen.includes(item)) return "[Circular]";
      seen.push(item);
    }
    return item;
  };
  const json = JSON.stringify(value, plain);
  if (json !== undefined && json.length > maxLength) return { type, tooLong: json.length };
  return { type, json: json ?? null };
}`;

/**
 * For documents that are not loaded over the network (`about:blank`, `data:`), whose headers cannot carry a policy:
 * forbids sockets. A policy in the document applies from then on, even when its element is removed (HTML § 4.2.5.3).
 */
export const BLANK_POLICY_SCRIPT = `(() => {
  if (location.protocol === "http:" || location.protocol === "https:") return;
  const make = (name) => document.createElementNS("http://www.w3.org/1999/xhtml", name);
  const meta = make("meta");
  meta.setAttribute("http-equiv", "Content-Security-Policy");
  meta.setAttribute("content", "connect-src http: https: data: blob:");
  if (document.head) {
    document.head.append(meta);
    meta.remove();
    return;
  }
  const head = make("head");
  const added = document.documentElement ? head : make("html");
  if (added !== head) added.append(head);
  (document.documentElement ?? document).append(added);
  head.append(meta);
  added.remove();
})()`;
