import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";

// Each test file has a database of its own, made by the same migrations as everywhere.
await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
