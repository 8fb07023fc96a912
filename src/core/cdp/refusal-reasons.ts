import { withoutPrototype } from "../without-prototype.ts";

const FILES = "Files of the browser's machine cannot be read; hand in the content instead";
const MACHINE = "The browser's machine is not accessible";

/** Refusal messages for the most common methods that are not in the table. */
const METHODS: Record<string, string> = withoutPrototype({
  "Browser.crash": "The session is ended by deleting it",
  "DOM.setFileInputFiles": FILES,
  "Network.loadNetworkResource": "Resources are loaded by pages only",
  "Network.setRequestInterception": "Use Fetch.enable",
  "Page.startScreenRecording": "Use Page.startScreencast, or record the session",
  "Target.exposeDevToolsProtocol": "Pages cannot drive the browser",
  "Target.openDevTools": "DevTools are not opened in a session; connect your own to cdpUrl",
  // It carries nested commands, which the filter cannot inspect.
  "Target.sendMessageToTarget": "Attach with flatten: true",
});

/** Refusal messages by domain. */
const DOMAINS: Record<string, string> = withoutPrototype({
  Browser: MACHINE,
  Cast: MACHINE,
  Debugger: "Scripts cannot be paused: the policy of blank documents is set by one",
  DeviceAccess: MACHINE,
  Extensions: MACHINE,
  FileSystem: FILES,
  PWA: MACHINE,
  ServiceWorker: "Service workers are not available: they continue after interception ends",
  SystemInfo: MACHINE,
  Tethering: MACHINE,
  Tracing: "Traces contain data about the browser's machine",
});

/** Returns the message that refuses a method that is not in the table. */
export function refusalReason(method: string): string {
  const domain = method.split(".")[0] ?? "";
  if (Object.hasOwn(METHODS, method)) return METHODS[method] ?? "";
  const reason = Object.hasOwn(DOMAINS, domain) ? DOMAINS[domain] : undefined;
  return reason ?? `${method} is not available in a session`;
}
