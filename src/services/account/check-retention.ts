import { AppError } from "../../core/errors.ts";
import type { Deps } from "../deps.ts";

/** @throws AppError `ZERO_DATA_RETENTION_DISABLED` for a request that needs it on a deployment without it. */
export function checkRetention({ settings }: Pick<Deps, "settings">, zeroDataRetention: boolean): void {
  if (zeroDataRetention && !settings.zeroDataRetention) throw new AppError("ZERO_DATA_RETENTION_DISABLED");
}
