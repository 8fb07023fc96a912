import { connect } from "node:net";
import type { LookupAddress } from "node:dns";
import { EgressError, pinAddresses, portOf } from "../egress/egress-policy.ts";
import { systemLookup, type Lookup } from "../egress/resolve-name.ts";

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Makes sure, before the service is built and started, that something answers at the address of the first page.
 * @param options.allowPrivateHosts as in the setting ALLOW_PRIVATE_HOSTS.
 * @throws Error that says why the page cannot be loaded, and what to do.
 */
export async function checkFirstPage(
  address: string,
  options: { allowPrivateHosts: readonly string[]; lookup?: Lookup },
): Promise<void> {
  const url = new URL(address);
  const policy = { allowPrivateHosts: options.allowPrivateHosts, ownHosts: [], isOwnPort: () => false };
  const addresses = await pinAddresses(url, policy, options.lookup ?? systemLookup).catch((error: unknown) => {
    throw new Error(`${address} cannot be loaded: ${messageOf(error)}.\n${adviceFor(url, error)}`, { cause: error });
  });
  const problems = await Promise.all(addresses.map((each) => tryToConnect(each, portOf(url))));
  if (problems.includes(undefined)) return;
  throw new Error(
    `${address} cannot be loaded: ${url.host} does not accept connections (${[...new Set(problems)].join(", ")}).\n` +
      "Check the address and the port, and that the site runs.",
  );
}

function adviceFor(url: URL, error: unknown): string {
  if (error instanceof EgressError && error.failure === "refused") {
    return `To scrape a site on this machine or network, name its host: ALLOW_PRIVATE_HOSTS=${url.hostname} npm start -- ${url.href}`;
  }
  return "Check the address, and that this machine has a network.";
}

/** The error's code; undefined when the connection was made. */
function tryToConnect({ address, family }: LookupAddress, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, family, port, timeout: CONNECT_TIMEOUT_MS });
    const end = (problem: string | undefined): void => {
      socket.destroy();
      resolve(problem);
    };
    socket.once("connect", () => end(undefined));
    socket.once("timeout", () => end(`no answer within ${CONNECT_TIMEOUT_MS / 1000} s`));
    socket.once("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
