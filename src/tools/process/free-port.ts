import { createServer } from "node:net";

/**
 * Makes sure that a port can be served on, on both of the host's own addresses.
 * @throws Error that says what to do when it cannot.
 */
export async function requirePort(port: number): Promise<void> {
  for (const host of ["127.0.0.1", "::1"]) {
    const problem = await tryToListen(port, host);
    if (problem === "EADDRINUSE") {
      throw new Error(
        `Port ${port} is in use by another program. Stop it, or choose another port: npm start -- --port ${port + 1}`,
      );
    }
    if (problem === "EACCES") {
      throw new Error(`This user may not serve on port ${port}. Choose one above 1023: npm start -- --port 8787`);
    }
  }
}

/** The error's code; undefined when it worked, or when the machine does not have the address at all. */
function tryToListen(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
