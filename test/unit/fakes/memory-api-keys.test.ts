import { apiKeyStoreContract } from "../../contracts/api-key-store.ts";
import { memoryApiKeys } from "../../fakes/memory-api-keys.ts";

apiKeyStoreContract("memory", memoryApiKeys);
