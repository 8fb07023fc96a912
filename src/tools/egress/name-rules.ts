/** How a Linux machine finds the addresses of a name, by its files (nsswitch.conf(5), hosts(5), resolv.conf(5)). */
export interface NameRules {
  /** Only `getaddrinfo` knows all sources of this name. */
  isOfSystem(name: string): boolean;
  /** The names to ask DNS for, in their order: the name itself, and below the search domains. */
  candidatesOf(name: string): string[];
}

interface Machine {
  /** Addresses of the name servers. */
  servers: readonly string[];
  host: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** Sources that know no names with a dot which are not in DNS, in the hosts file, or below `.local` and `.localhost`. */
const PLAIN_SOURCES = /^(?:files|dns|myhostname|mymachines|mdns_minimal|mdns4_minimal|mdns6_minimal)$/;
/** Where systemd-resolved answers; without it among the name servers, it may know other names than they do. */
const STUB = /^127\.0\.0\.5[34]$/;
const LOCAL = /\.(?:local|localhost)$/;
const MAX_DOTS = 15;

/** @param read the text of a file, empty for one that is not there */
export function readNameRules(read: (path: string) => string, machine: Machine): NameRules {
  const isPlain = hasPlainSources(read("/etc/nsswitch.conf"), machine.servers);
  const hosts = isPlain ? namesOf(read("/etc/hosts")) : new Set<string>();
  const { search, dots } = readSearch(read("/etc/resolv.conf"), machine);
  const own = machine.host.toLowerCase();
  return {
    isOfSystem: (name) => !isPlain || !name.includes(".") || LOCAL.test(name) || name === own || hosts.has(name),
    candidatesOf: (name) => {
      const below = search.map((domain) => `${name}.${domain}`);
      return name.split(".").length > dots ? [name, ...below] : [...below, name];
    },
  };
}

function hasPlainSources(text: string, servers: readonly string[]): boolean {
  const line = /^[ \t]*hosts:([^#\n]*)/m.exec(text)?.[1] ?? "files dns";
  const sources = wordsOf(line.replaceAll(/\[[^\]]*\]/g, " "));
  const isPlain = (source: string): boolean =>
    source === "resolve" ? servers.some((server) => STUB.test(server)) : PLAIN_SOURCES.test(source);
  return (sources.includes("dns") || sources.includes("resolve")) && sources.every(isPlain);
}

function namesOf(hosts: string): Set<string> {
  const lines = hosts.split("\n").map((line) => line.replace(/#.*/, ""));
  return new Set(lines.flatMap((line) => wordsOf(line.toLowerCase()).slice(1)));
}

/** The last `search` or `domain` counts; without one, the domain of the machine's own name. */
function readSearch(text: string, { host, env }: Machine): { search: string[]; dots: number } {
  const lines = text.split("\n").map(wordsOf);
  const named = lines.findLast(([keyword]) => keyword === "search" || keyword === "domain")?.slice(1);
  const given = env["LOCALDOMAIN"] === undefined ? named : wordsOf(env["LOCALDOMAIN"]);
  const search = given ?? [host.split(".").slice(1).join(".")];
  const options = [...lines.filter(([keyword]) => keyword === "options").flat(), ...wordsOf(env["RES_OPTIONS"] ?? "")];
  const dots = options.findLast((option) => /^ndots:\d+$/.test(option))?.slice("ndots:".length) ?? "1";
  return {
    search: search.map((domain) => domain.toLowerCase().replace(/\.$/, "")).filter((domain) => domain !== ""),
    dots: Math.min(Number(dots), MAX_DOTS),
  };
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");
