import { watchService, type WatchedService, type WatchOptions } from "../../../src/tools/service/watch-service.ts";

/** A service that is started again, on the same port, however often it is killed: its own watch gives up some time. */
export async function keepService(options: WatchOptions): Promise<{ url: string; stop: () => Promise<void> }> {
  let current: WatchedService = await watchService(options);
  let isStopping = false;
  const { url, port } = current;
  const keeping = (async () => {
    for (;;) {
      await current.ended;
      if (isStopping) return;
      options.log("The watch has given up; starting the service anew");
      current = await watchService({ ...options, port });
      if (isStopping) await current.stop();
    }
  })();
  return {
    url,
    async stop() {
      isStopping = true;
      await current.stop();
      await keeping;
    },
  };
}
