/**
 * Blink features that make requests which request interception does not see, or that reach devices of the machine.
 * A page finds a browser without them, in windows, workers and worlds alike.
 */
const DISABLED_BLINK_FEATURES = [
  "AttributionReporting",
  "BackgroundFetch",
  "DirectSockets",
  "FedCm",
  "FencedFrames",
  "Fledge",
  "PaymentRequest",
  "PeriodicBackgroundSync",
  "Prerender2",
  "Presentation",
  "PushMessaging",
  "SecurePaymentConfirmation",
  "Serial",
  "SharedStorageAPI",
  "SharedWorker",
  "TopicsAPI",
  "WebHID",
  "WebIdentityDigitalCredentials",
  "WebSocketStream",
  "WebUSB",
];

/**
 * Flags on top of those of the local browser binding. Nothing may leave the machine that a page did not ask for. QUIC and
 * WebRTC do not pass through request interception: neither uses UDP. No flag switches WebTransport off: it is removed from
 * pages and workers, and the flags for the egress proxy (`egress/route-egress.cjs`) let no connection go around it.
 */
export const BROWSER_FLAGS: readonly string[] = [
  "--disable-gpu",
  // A window with a page that nobody uses takes a quarter of the processor time of a launch. Without one, the browser does not
  // end with its last page either.
  "--no-startup-window",
  "--disable-quic",
  "--disable-component-update",
  "--disable-background-networking",
  "--disable-domain-reliability",
  "--no-default-browser-check",
  "--no-pings",
  "--dns-prefetch-disable",
  "--disable-shared-workers",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  `--disable-blink-features=${DISABLED_BLINK_FEATURES.join(",")}`,
  // A script's heap in megabytes; a page above it crashes alone. Buffers are not in the heap: watch-renderers.ts.
  "--js-flags=--max-old-space-size=1024",
  // A page that comes back from this cache fires no load event, which Playwright waits for.
  "--disable-back-forward-cache",
];

/** Flags of a headless shell besides. */
export const SHELL_FLAGS: readonly string[] = [
  // The same as above, under the name that a headless shell reads.
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  // Scripts of a new document, which remove speculation rules, would otherwise run with the page's first script only.
  "--blink-settings=forceMainWorldInitialization=true",
  // Each line of a page's console would be written to the standard error, which holds up the browser.
  "--enable-logging=none",
];

/**
 * Features of a headless shell with their parameters: no prefetch of speculation rules runs at any time. It has neither the
 * preference that switches them off in Chrome nor a flag. A document that was prefetched passes by interception, and so has no
 * policy of its own. `check-prefetch.ts` finds a version that does not know the parameter.
 */
export const SHELL_FEATURES =
  "PrefetchMultipleActiveSetSizeLimitForBase:prefetch_multiple_active_set_size_limit_for_base_value/0";

/**
 * Features of the browser process that load something outside of pages. Local network access checks would take every
 * page for a public one, as its documents pass through interception, and refuse it the private hosts that the operator
 * opened; which hosts may be called is decided by the service itself, in every browser alike.
 */
export const DISABLED_FEATURES: readonly string[] = [
  "LocalNetworkAccessChecks",
  "AttributionReporting",
  "BackgroundFetch",
  "BrowsingTopics",
  "FedCm",
  "Fledge",
  "InterestGroupStorage",
  "NetworkErrorLogging",
  "Prerender2",
  "Prerender2FallbackPrefetchSpecRules",
  "Reporting",
  "ServiceWorkerPaymentApps",
  "SharedStorageAPI",
  // A renderer that each context would get besides that of its page, which takes a seventh of the time of a small page.
  "SpareRendererForSitePerProcess",
  "WebPayments",
  // Windows of the browser's own, on chrome:// URLs, that it keeps ready beside the pages.
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxPopup",
];

/** Schemes that a page or a driver has no business with; `*` as a host covers `chrome://` and its relatives. */
const BLOCKED_URLS = ["file://*", "chrome://*", "chrome-untrusted://*", "devtools://*", "view-source:*"];

/** Value of the policy `DownloadRestrictions`: all of them. */
const NO_DOWNLOADS = 3;

/**
 * Preferences and policies of a new profile: no speculative prefetches, for which Chromium has no flag, and a URL block
 * list and no downloads, which Chromium applies like an administrator's policy. They are the second layer behind the
 * CDP policy.
 */
export const BROWSER_PREFERENCES = {
  net: { network_prediction_options: 2 },
  policy: { url_blocklist: BLOCKED_URLS },
  download_restrictions: NO_DOWNLOADS,
};
