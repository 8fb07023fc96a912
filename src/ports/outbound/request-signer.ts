/** Signs requests to sites, so that they can tell this service from others that only use its name. */
export interface RequestSigner {
  /** Returns the headers that a request to the URL carries besides its own; none without a key. */
  headersFor(url: string): Promise<Record<string, string>>;
}

/** The public keys of this service, as verifiers read them. */
export interface SignedDirectory {
  body: { keys: { kty: "OKP"; crv: "Ed25519"; x: string; kid: string; use: "sig" }[] };
  /** Names in lower case; among them the signatures that prove possession of the keys. */
  headers: Record<string, string>;
}

export interface KeyDirectory {
  /**
   * Returns the directory as it is served under a URL; undefined without a key.
   * @param url the URL of the request for it, whose host the signatures cover
   */
  directory(url: string): Promise<SignedDirectory | undefined>;
}
