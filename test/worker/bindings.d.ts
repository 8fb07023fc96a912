import type { D1Migration } from "@cloudflare/vitest-plugin";
import type { Bindings } from "../../src/env.ts";

declare global {
  namespace Cloudflare {
    /** What `cloudflare:workers` gives tests as `env`. */
    interface Env extends Bindings {
      TEST_MIGRATIONS: D1Migration[];
    }
  }
}
