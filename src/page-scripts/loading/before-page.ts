const DIRECT_CONNECTIONS = [
  "SharedWorker",
  "WebTransport",
  "WebSocketStream",
  "RTCPeerConnection",
  "webkitRTCPeerConnection",
];

/**
 * A shared worker and WebRTC would open connections that request interception does not see; to a page this looks like a
 * browser without them. A service worker is refused as on an insecure page, and its process never runs. Speculation
 * rules are removed before they are processed (HTML § 7.6.1.2 processes them in a later microtask), since prefetches
 * bypass interception, too.
 */
export function beforePage(): void {
  for (const name of DIRECT_CONNECTIONS) Reflect.deleteProperty(globalThis, name);
  refuseServiceWorkers();
  // The page may replace every one of these later.
  const { apply } = Reflect;
  const { remove, querySelectorAll, getAttribute } = Element.prototype;
  const drop = (element: Element): void => {
    const type = apply(getAttribute, element, ["type"]) ?? "";
    if (/^\s*speculationrules\s*$/i.test(type)) apply(remove, element, []);
  };
  const inspect = (node: Element): void => {
    if (node.localName === "script") drop(node);
    const scripts = apply(querySelectorAll, node, ["script[type]"]);
    for (let index = 0; index < scripts.length; index++) drop(scripts[index] as Element);
  };
  // Counted loops: the page may replace the iterators of lists, too.
  new MutationObserver((changes) => {
    for (let change = 0; change < changes.length; change++) {
      const { addedNodes } = changes[change] as MutationRecord;
      for (let index = 0; index < addedNodes.length; index++) {
        const node = addedNodes[index] as Element;
        if (node.nodeType === 1) inspect(node);
      }
    }
  }).observe(document, { childList: true, subtree: true });
}

function refuseServiceWorkers(): void {
  // Missing in insecure contexts.
  const container = globalThis.ServiceWorkerContainer as typeof ServiceWorkerContainer | undefined;
  if (container === undefined) return;
  // A method, which keeps its name in the bundle and cannot be constructed, like the browser's own.
  const refusing = {
    register(): Promise<ServiceWorkerRegistration> {
      return Promise.reject(
        new DOMException("Failed to register a ServiceWorker: not supported.", "NotSupportedError"),
      );
    },
  };
  container.prototype.register = refusing.register;
}
