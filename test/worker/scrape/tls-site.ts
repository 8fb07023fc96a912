import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

/** Made for tests alone: nobody trusts this certificate, which is what it is for. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgPTmuGwgQSNMMHBCD
yujVIR8RZtf19ZcOzmKt4PkSxJihRANCAARrtsiK0mEQjcNIAdQaOaD06mw4LICb
9qntmBGhnx+jMLglnkiW9LeqtOOuDCkGrUq6pfGeckzh7JmA/9rmOTCA
-----END PRIVATE KEY-----`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBjTCCATOgAwIBAgIUPOag8m3tJKtf+VhZ1isHrp1ILjowCgYIKoZIzj0EAwIw
GzEZMBcGA1UEAwwQbm90LXRydXN0ZWQudGVzdDAgFw0yNjExMjEwNTAwMjhaGA8y
MTI2MTAyODA1MDAyOFowGzEZMBcGA1UEAwwQbm90LXRydXN0ZWQudGVzdDBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABGu2yIrSYRCNw0gB1Bo5oPTqbDgsgJv2qe2Y
EaGfH6MwuCWeSJb0t6q0464MKQatSrql8Z5yTOHsmYD/2uY5MICjUzBRMB0GA1Ud
DgQWBBTLYWVHap4z1e2pGvYeNlqXo8QaZTAfBgNVHSMEGDAWgBTLYWVHap4z1e2p
GvYeNlqXo8QaZTAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQCv
9PekH6Q416GJ+ntjC1dD9uvs8KlVdWC5K/QKJbox1AIgAXnin+ciP6y869bO26Yq
lP7iXMsAL8h8A3iIC1BTiiY=
-----END CERTIFICATE-----`;

export interface TlsSite {
  url: string;
  close(): Promise<void>;
}

/** A page behind a certificate that no browser accepts by itself. */
export async function startTlsSite(): Promise<TlsSite> {
  const server = createServer({ key: KEY, cert: CERTIFICATE }, (_request, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>Sealed</title><p>Behind a seal.</p>");
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
