import type { z } from "zod";
import {
  fields,
  flag,
  headers,
  list,
  num,
  refused,
  requestUrl,
  statusPhrase,
  takes,
  text,
  type MethodTable,
} from "./parameters.ts";

/** Content Security Policy 3 § 6.1.2: connections that no source of the list matches are refused. */
const NO_SOCKETS = { name: "Content-Security-Policy", value: "connect-src http: https: data: blob:" };

/**
 * Adds the policy to a response that a driver creates or changes: it has no host to which its sockets could be limited,
 * unlike the documents that the guard admits.
 */
const withoutSockets = (given: z.infer<typeof headers>) => [NO_SOCKETS, ...given];

/** Requests, cookies and stored data of the session's browser. */
export const NETWORK_METHODS = {
  "CacheStorage.deleteCache": takes({ cacheId: text }),
  "CacheStorage.deleteEntry": takes({ cacheId: text, request: text }),
  "CacheStorage.requestCacheNames": takes({}, { securityOrigin: text, storageKey: text, storageBucket: fields }),
  "CacheStorage.requestCachedResponse": takes({ cacheId: text, requestURL: text, requestHeaders: list }),
  "CacheStorage.requestEntries": takes({ cacheId: text }, { skipCount: num, pageSize: num, pathFilter: text }),
  "Fetch.continueRequest": takes(
    { requestId: text },
    { url: requestUrl, method: text, postData: text, headers, interceptResponse: flag },
  ),
  "Fetch.continueResponse": takes(
    { requestId: text },
    {
      responseCode: num,
      responsePhrase: statusPhrase,
      responseHeaders: headers.transform(withoutSockets),
      binaryResponseHeaders: refused("Use responseHeaders"),
    },
  ),
  "Fetch.continueWithAuth": takes({ requestId: text, authChallengeResponse: fields }),
  "Fetch.disable": takes({}),
  "Fetch.enable": takes({}, { patterns: list, handleAuthRequests: flag }),
  "Fetch.failRequest": takes({ requestId: text, errorReason: text }),
  "Fetch.fulfillRequest": takes(
    { requestId: text, responseCode: num },
    {
      responseHeaders: headers,
      body: text,
      responsePhrase: statusPhrase,
      binaryResponseHeaders: refused("Use responseHeaders"),
    },
  ).transform((answer) => ({ ...answer, responseHeaders: withoutSockets(answer.responseHeaders ?? []) })),
  "Fetch.getResponseBody": takes({ requestId: text }),
  "Fetch.takeResponseBodyAsStream": takes({ requestId: text }),
  "IO.close": takes({ handle: text }),
  "IO.read": takes({ handle: text }, { offset: num, size: num }),
  "Network.canClearBrowserCache": takes({}),
  "Network.canClearBrowserCookies": takes({}),
  "Network.canEmulateNetworkConditions": takes({}),
  "Network.clearAcceptedEncodingsOverride": takes({}),
  "Network.clearBrowserCache": takes({}),
  "Network.clearBrowserCookies": takes({}),
  "Network.deleteCookies": takes({ name: text }, { url: text, domain: text, path: text, partitionKey: fields }),
  "Network.disable": takes({}),
  "Network.emulateNetworkConditions": takes(
    { offline: flag, latency: num, downloadThroughput: num, uploadThroughput: num },
    { connectionType: text, packetLoss: num, packetQueueLength: num, packetReordering: flag },
  ),
  "Network.emulateNetworkConditionsByRule": takes(
    { matchedNetworkConditions: list },
    { offline: flag, emulateOfflineServiceWorker: flag },
  ),
  "Network.enable": takes(
    {},
    {
      maxTotalBufferSize: num,
      maxResourceBufferSize: num,
      maxPostDataSize: num,
      reportDirectSocketTraffic: flag,
      enableDurableMessages: flag,
    },
  ),
  "Network.getAllCookies": takes({}),
  "Network.getCookies": takes({}, { urls: list }),
  "Network.getRequestPostData": takes({ requestId: text }),
  "Network.getResponseBody": takes({ requestId: text }),
  "Network.getSecurityIsolationStatus": takes({}, { frameId: text }),
  "Network.overrideNetworkState": takes(
    { offline: flag, latency: num, downloadThroughput: num, uploadThroughput: num },
    { connectionType: text },
  ),
  "Network.searchInResponseBody": takes({ requestId: text, query: text }, { caseSensitive: flag, isRegex: flag }),
  "Network.setAcceptedEncodings": takes({ encodings: list }),
  "Network.setBlockedURLs": takes({}, { urls: list, urlPatterns: list }),
  "Network.setBypassServiceWorker": takes({ bypass: flag }),
  "Network.setCacheDisabled": takes({ cacheDisabled: flag }),
  "Network.setCookie": takes(
    { name: text, value: text },
    {
      url: text,
      domain: text,
      path: text,
      secure: flag,
      httpOnly: flag,
      sameSite: text,
      expires: num,
      priority: text,
      sameParty: flag,
      sourceScheme: text,
      sourcePort: num,
      partitionKey: fields,
    },
  ),
  "Network.setCookies": takes({ cookies: list }),
  "Network.setExtraHTTPHeaders": takes({ headers: fields }),
  "Network.setUserAgentOverride": takes(
    { userAgent: text },
    { acceptLanguage: text, platform: text, userAgentMetadata: fields },
  ),
  "Security.disable": takes({}),
  "Security.enable": takes({}),
  "Security.setIgnoreCertificateErrors": takes({ ignore: flag }),
  "Storage.clearCookies": takes({}, { browserContextId: text }),
  "Storage.clearDataForOrigin": takes({ origin: text, storageTypes: text }),
  "Storage.clearDataForStorageKey": takes({ storageKey: text, storageTypes: text }),
  "Storage.getCookies": takes({}, { browserContextId: text }),
  "Storage.getStorageKeyForFrame": takes({ frameId: text }),
  "Storage.getUsageAndQuota": takes({ origin: text }),
  "Storage.setCookies": takes({ cookies: list }, { browserContextId: text }),
} satisfies MethodTable;
