import { AppError } from "../../core/errors.ts";

interface Archivable {
  archive?: boolean | undefined;
  zeroDataRetention?: boolean | undefined;
}

/** @throws AppError `BAD_REQUEST` for an archive with zero data retention, which forbids to keep responses */
export function assertArchivable({ archive = false, zeroDataRetention = false }: Archivable): void {
  if (!archive || !zeroDataRetention) return;
  const message = "archive keeps the responses of pages, which zeroDataRetention forbids";
  throw new AppError("BAD_REQUEST", message, { details: [{ code: "custom", path: ["archive"], message }] });
}
