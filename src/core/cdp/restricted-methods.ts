import { z } from "zod";
import { plainSchema, type PlainParameters } from "./plain-methods.ts";
import { allowedPageUrl } from "./shown-target.ts";
import { withoutPrototype } from "../without-prototype.ts";

/** Schema of a method's parameters. The browser receives its output. */
export type MethodSchema = z.ZodType<Record<string, unknown>>;

/** Returns a schema of plain parameters and of restricted ones, which refuses all others. */
const restrict = (plain: PlainParameters, restricted: z.ZodRawShape): MethodSchema =>
  plainSchema(plain).extend(restricted);

/** Returns the schema of a parameter of the protocol that is refused, with the reason for the caller. */
const refused = (reason: string): z.ZodType => z.never({ error: reason }).optional();

/** Returns a schema of URLs; the browser receives the URL as `serialize` returns it, never the caller's text. */
function urlSchema(serialize: (written: string) => string | undefined, message: string) {
  return z.string().transform((written, context) => {
    const href = serialize(written);
    if (href !== undefined) return href;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });
}

/** A URL to which a page may navigate. */
const pageUrl = urlSchema(
  (written) => (written === "" ? "about:blank" : allowedPageUrl(written)),
  "Only web addresses can be opened: http, https and about:blank",
);
/** A URL that a request may have; the guard decides whether its host is allowed. */
const requestUrl = urlSchema((written) => {
  const url = URL.parse(written);
  return url?.protocol === "http:" || url?.protocol === "https:" ? url.href : undefined;
}, "Only web addresses can be requested: http and https");

/** RFC 9110 § 5.6.2 and § 5.5: a header must not contain characters that end it. */
const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "Not the name of a header");
const headerValue = z.string().regex(/^[^\0\r\n]*$/, "A header has one line");
const headers = z.array(z.strictObject({ name: headerName, value: headerValue }));
const statusPhrase = headerValue.optional();
const binaryResponseHeaders = refused("Use responseHeaders");

/** Content Security Policy 3 § 6.1.2: connections that no source of the list matches are refused. */
const NO_SOCKETS = { name: "Content-Security-Policy", value: "connect-src http: https: data: blob:" };
/**
 * Adds the policy to a response that a driver creates or changes: it has no host to which its sockets could be limited,
 * unlike the documents that the guard admits.
 */
const withoutSockets = (given: z.infer<typeof headers>) => [NO_SOCKETS, ...given];

/** `files` must be empty: it would give the page files of the browser's machine. */
const dragData = restrict(
  { array: "items", number: "dragOperationsMask" },
  {
    files: z
      .array(z.string())
      .max(0, "Files of the browser's machine cannot be read; hand in the content instead")
      .optional(),
  },
);

/** Required: without `flatten`, messages are nested in others, where the filter cannot inspect them. */
const flatten = z.literal(true, { error: "Attach with flatten: true" });
/** Selects a command's targets by type. */
const filter = z.array(plainSchema({ string: "type?", boolean: "exclude?" })).optional();

const DEVICES = "Devices and files of the browser's machine are not available";
/** Permissions that a page may be granted, as named by `Browser.grantPermissions`. */
const permission = z.enum(
  [
    "clipboardReadWrite",
    "clipboardSanitizedWrite",
    "durableStorage",
    "geolocation",
    "idleDetection",
    "notifications",
    "sensors",
    "storageAccess",
    "topLevelStorageAccess",
    "wakeLockScreen",
    "wakeLockSystem",
  ],
  { error: DEVICES },
);
/** The same permissions, as named by the Permissions API. */
const permissionName = z.enum(
  [
    "accelerometer",
    "ambient-light-sensor",
    "clipboard-read",
    "clipboard-sanitized-write",
    "clipboard-write",
    "geolocation",
    "gyroscope",
    "idle-detection",
    "magnetometer",
    "notifications",
    "persistent-storage",
    "screen-wake-lock",
    "storage-access",
    "system-wake-lock",
    "top-level-storage-access",
  ],
  { error: DEVICES },
);

/** Methods with a rule of their own: each refuses or changes what the protocol would allow. */
export const RESTRICTED_METHODS: Record<string, MethodSchema> = withoutPrototype({
  // The relay replies to it: the connection may end, the browser stays.
  "Browser.close": restrict({}, {}),
  "Browser.grantPermissions": restrict({ string: "origin? browserContextId?" }, { permissions: z.array(permission) }),
  "Browser.setDownloadBehavior": plainSchema({
    string: "behavior browserContextId? downloadPath?",
    boolean: "eventsEnabled?",
  }).transform(({ downloadPath: _nowhere, ...rest }) => ({ ...rest, behavior: "deny" })),
  "Browser.setPermission": restrict(
    { string: "setting origin? browserContextId? embeddedOrigin?" },
    { permission: restrict({ boolean: "allowWithoutSanitization?" }, { name: permissionName }) },
  ),
  // Without `terminateOnResume`, which could stop the script that sets a blank page's policy.
  "Debugger.resume": restrict({}, {}),
  "Emulation.setScriptExecutionDisabled": restrict(
    {},
    {
      value: z.literal(false, { error: "Scripts cannot be switched off: the policy of blank documents is set by one" }),
    },
  ),
  "Fetch.continueRequest": restrict(
    { string: "requestId method? postData?", boolean: "interceptResponse?" },
    { url: requestUrl.optional(), headers: headers.optional() },
  ),
  "Fetch.continueResponse": restrict(
    { string: "requestId", number: "responseCode?" },
    {
      responsePhrase: statusPhrase,
      responseHeaders: headers.transform(withoutSockets).optional(),
      binaryResponseHeaders,
    },
  ),
  "Fetch.fulfillRequest": restrict(
    { string: "requestId body?", number: "responseCode" },
    {
      responsePhrase: statusPhrase,
      responseHeaders: headers.default([]).transform(withoutSockets),
      binaryResponseHeaders,
    },
  ),
  "Input.dispatchDragEvent": restrict({ string: "type", number: "x y modifiers?" }, { data: dragData }),
  "Page.createIsolatedWorld": restrict(
    { string: "frameId worldName?", boolean: "grantUniveralAccess?" },
    {
      contentSecurityPolicy: refused(
        "A world with a policy of its own would not have the page's, which keeps sockets from private hosts",
      ),
    },
  ),
  "Page.navigate": restrict({ string: "referrer? transitionType? frameId? referrerPolicy?" }, { url: pageUrl }),
  "Page.setBypassCSP": restrict(
    {},
    { enabled: z.literal(false, { error: "Content security policies keep sockets from private hosts, and stay" }) },
  ),
  "Page.setDownloadBehavior": plainSchema({ string: "behavior downloadPath?" }).transform(() => ({ behavior: "deny" })),
  "Target.attachToTarget": restrict({ string: "targetId" }, { flatten }),
  "Target.createBrowserContext": restrict(
    { boolean: "disposeOnDetach?" },
    {
      proxyServer: refused("Requests cannot be sent through a proxy"),
      proxyBypassList: refused("Requests cannot be sent through a proxy"),
      originsWithUniversalNetworkAccess: refused("Origins have the access that the network gives them"),
    },
  ),
  "Target.createTarget": restrict(
    {
      number: "left? top? width? height?",
      string: "windowState? browserContextId?",
      boolean: "newWindow? background? focus?",
    },
    {
      url: pageUrl,
      enableBeginFrameControl: refused("Pages draw their frames by themselves"),
      forTab: refused("A page is opened, with its tab"),
      hidden: refused("Every page is shown"),
    },
  ),
  "Target.getTargets": restrict({}, { filter }),
  "Target.setAutoAttach": z.union([
    restrict({ boolean: "waitForDebuggerOnStart" }, { autoAttach: z.literal(true), flatten, filter }),
    restrict({ boolean: "waitForDebuggerOnStart flatten?" }, { autoAttach: z.literal(false), filter }),
  ]),
  "Target.setDiscoverTargets": restrict({ boolean: "discover" }, { filter }),
  // Without `enableUI`: dialogs of the browser are not shown in a session.
  "WebAuthn.enable": restrict({}, {}),
});
