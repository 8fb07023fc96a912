import type { ClientPlace } from "./core/sessions/pool-region.ts";
import type { Env, Settings } from "./env.ts";
import type { KeyLeases } from "./platform/account/key-leases.ts";
import type { WatchedDatabase } from "./platform/metering/watched-database.ts";
import type { ConnectionSlots } from "./platform/outbound/connection-slots.ts";
import type { DnsCache } from "./platform/outbound/doh-resolver.ts";
import type { BotIdentity } from "./platform/outbound/request-signer.ts";
import type { Rotation } from "./platform/outbound/rotation.ts";
import type { IndexLayout } from "./storage/search/index-shard.ts";
import type { ReadinessMemory } from "./services/upkeep/check-readiness.ts";

/** Objects that an isolate creates once: the settings, and the cache of resolved names. */
export interface Foundation {
  env: Env;
  settings: Settings;
  resolvedNames: DnsCache;
  /** When it was last found out whether everything answers. */
  readiness: ReadinessMemory;
  /** Shards of pages that are nearly full. */
  fullShards: Set<string>;
  /** How full the database is. */
  databaseRoom: WatchedDatabase;
  /** Requests and credits of keys that the isolate may admit by itself. */
  keyLeases: KeyLeases;
  /** Layouts of the teams' search indexes. */
  indexLayouts: Map<string, IndexLayout>;
  /** Signs requests to sites. */
  identity: BotIdentity;
  /** Order and failures of the egress routes' proxies. */
  rotation: Rotation;
}

/** An invocation of the Worker that dependencies are built for. */
export interface Invocation {
  /** URL of the request, from which the service's own hosts are read. */
  url: string;
  /** Aborted when the client has left; undefined for work of queues and alarms, for which no client waits. */
  clientLeft?: AbortSignal;
  /** Place of the client, for browsers near it. */
  near?: ClientPlace;
  /** Connection slots of the invocation, when several sets of dependencies share it. */
  slots?: ConnectionSlots;
  /** True for work that no client waits for. */
  isWork?: boolean;
  /** Keeps the invocation alive until its metrics are sent; without it a later invocation of the isolate sends them. */
  extend?: (work: Promise<unknown>) => void;
}
