import { z } from "zod";
import { fields, flag, num, openableUrl, refused, takes, targetFilter, text, type MethodTable } from "./parameters.ts";

/** Required: without `flatten`, messages are nested in others, where the filter cannot inspect them. */
const flatten = z.literal(true, { error: "Attach with flatten: true" });

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

/** The browser and its targets. */
export const TARGET_METHODS = {
  "Browser.cancelDownload": takes({ guid: text }, { browserContextId: text }),
  "Browser.close": takes({}),
  "Browser.getVersion": takes({}),
  "Browser.getWindowBounds": takes({ windowId: num }),
  "Browser.getWindowForTarget": takes({}, { targetId: text }),
  "Browser.grantPermissions": takes({ permissions: z.array(permission) }, { origin: text, browserContextId: text }),
  "Browser.resetPermissions": takes({}, { browserContextId: text }),
  "Browser.setContentsSize": takes({ windowId: num }, { width: num, height: num }),
  "Browser.setDownloadBehavior": takes(
    { behavior: text },
    { browserContextId: text, downloadPath: text, eventsEnabled: flag },
  ).transform(({ downloadPath: _nowhere, ...rest }) => ({ ...rest, behavior: "deny" })),
  "Browser.setPermission": takes(
    { permission: takes({ name: permissionName }, { allowWithoutSanitization: flag }), setting: text },
    { origin: text, browserContextId: text, embeddedOrigin: text },
  ),
  "Browser.setWindowBounds": takes({ windowId: num, bounds: fields }),
  "Target.activateTarget": takes({ targetId: text }),
  "Target.attachToBrowserTarget": takes({}),
  "Target.attachToTarget": takes({ targetId: text, flatten }),
  "Target.closeTarget": takes({ targetId: text }),
  "Target.createBrowserContext": takes(
    {},
    {
      disposeOnDetach: flag,
      proxyServer: refused("Requests cannot be sent through a proxy"),
      proxyBypassList: refused("Requests cannot be sent through a proxy"),
      originsWithUniversalNetworkAccess: refused("Origins have the access that the network gives them"),
    },
  ),
  "Target.createTarget": takes(
    { url: openableUrl },
    {
      left: num,
      top: num,
      width: num,
      height: num,
      windowState: text,
      browserContextId: text,
      newWindow: flag,
      background: flag,
      focus: flag,
      enableBeginFrameControl: refused("Pages draw their frames by themselves"),
      forTab: refused("A page is opened, with its tab"),
      hidden: refused("Every page is shown"),
    },
  ),
  "Target.detachFromTarget": takes({}, { sessionId: text, targetId: text }),
  "Target.disposeBrowserContext": takes({ browserContextId: text }),
  "Target.getBrowserContexts": takes({}),
  "Target.getTargetInfo": takes({}, { targetId: text }),
  "Target.getTargets": takes({}, { filter: targetFilter }),
  "Target.setAutoAttach": z.union([
    takes({ autoAttach: z.literal(true), waitForDebuggerOnStart: flag, flatten }, { filter: targetFilter }),
    takes({ autoAttach: z.literal(false), waitForDebuggerOnStart: flag }, { flatten: flag, filter: targetFilter }),
  ]),
  "Target.setDiscoverTargets": takes({ discover: flag }, { filter: targetFilter }),
} satisfies MethodTable;
