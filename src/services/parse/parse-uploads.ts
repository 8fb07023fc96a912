import { v7 as uuidv7 } from "uuid";
import { promisedKind } from "../../content/documents/kind/kind.ts";
import { dayKey } from "../../core/account/day-key.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import { ownerOf, type Owner } from "../../core/fair-order.ts";
import { randomToken, sha256Hex } from "../../core/text/hash.ts";
import { FILE_WAIT_MS, SHORT_BYTES, takeRoom } from "../../core/waits/take-room.ts";
import type { Upload } from "../../ports/storage/stores.ts";
import type { Caller, Deps } from "../deps.ts";
import { MAX_UPLOAD_BYTES, type ParseRequest } from "./parse-document.ts";
import { UploadReaders } from "./upload-readers.ts";

/** Folder of uploaded files, by the day on which the upload was created. */
export const UPLOADS = "uploads/";
const UPLOAD_LIFE_MS = 10 * 60_000;
const DAY_MS = 86_400_000;
const MAX_UNPARSED = 10;
const REF = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([0-9a-f]{64})$/;

/** Of the isolate. */
const readers = new UploadReaders();

type UploadDeps = Pick<Deps, "uploads" | "blobs" | "clock">;
type ReadDeps = UploadDeps & Pick<Deps, "memory" | "clientLeft">;

/** Permission to upload one file without a key. */
export interface UploadPlace {
  id: string;
  /** Token of the upload: its holder may send the file, and the team that created it may parse the file. */
  uploadRef: string;
  expiresAtMs: number;
}

/**
 * Creates an upload.
 * @throws AppError UNSUPPORTED_FILE_TYPE for a file that could not be read, PARSE_UPLOAD_UNPARSED_LIMIT_REACHED.
 */
export async function openUpload(
  { uploads, blobs, clock }: UploadDeps,
  { key }: Caller,
  file: { fileName: string; contentType: string | undefined; declaredBytes: number | undefined },
): Promise<UploadPlace> {
  const { fileName, contentType, declaredBytes } = file;
  const kind = promisedKind(fileName, contentType);
  if (kind === undefined || kind === "binary") {
    throw new AppError("UNSUPPORTED_FILE_TYPE", `Unsupported upload type: ${fileName}`);
  }
  const nowMs = clock.now();
  const token = randomToken();
  const id = uuidv7();
  const upload: Upload = {
    id,
    teamId: key.teamId,
    tokenHash: await sha256Hex(token),
    fileName,
    contentType,
    maxBytes: declaredBytes ?? MAX_UPLOAD_BYTES,
    state: "issued",
    createdAtMs: nowMs,
    expiresAtMs: nowMs + UPLOAD_LIFE_MS,
  };
  const bound = { sinceMs: nowMs - DAY_MS, most: MAX_UNPARSED };
  const insert = (): Promise<boolean> => uploads.insert(upload, bound);
  const isInserted = (await insert()) || ((await dropExpired({ uploads, blobs }, upload, bound)) && (await insert()));
  if (!isInserted) {
    throw new AppError("PARSE_UPLOAD_UNPARSED_LIMIT_REACHED");
  }
  return { id, uploadRef: `${id}.${token}`, expiresAtMs: upload.expiresAtMs };
}

/** Deletes the files of a team's expired uploads, which can no longer be parsed. @returns false when there are none. */
async function dropExpired(
  { uploads, blobs }: Pick<UploadDeps, "uploads" | "blobs">,
  { teamId, createdAtMs: nowMs }: Upload,
  bound: { sinceMs: number; most: number },
): Promise<boolean> {
  const expired = await uploads.expired(teamId, { ...bound, nowMs });
  for (const upload of expired) {
    // The file first: an upload whose file is stored stays in the count.
    await blobs.deletePrefix(folderOf(upload));
    await uploads.move(upload.id, upload.state, "parsed");
    await uploads.forgetFile(upload.id);
  }
  return expired.length > 0;
}

/**
 * Receives the file of an upload, once. Nothing is read of it before its reference is known to be valid.
 * @param read reads the file in the memory of an owner, and throws `PAYLOAD_TOO_LARGE` when it has more than `maxBytes`
 * @throws AppError BAD_REQUEST for an invalid, expired or used reference, PAYLOAD_TOO_LARGE.
 */
export async function receiveUpload(
  deps: UploadDeps,
  {
    id,
    uploadRef,
    read,
  }: { id: string; uploadRef: string; read: (limits: { maxBytes: number; owner: Owner }) => Promise<Uint8Array> },
): Promise<void> {
  const upload = await findIssued(deps, { id, uploadRef });
  const { maxBytes, teamId } = upload;
  // Without a key, the file is the team's that created the upload.
  const bytes = await read({ maxBytes, owner: { teamId, keyId: upload.id } }).catch((error: unknown) => {
    if (!isAppError(error) || error.code !== "PAYLOAD_TOO_LARGE" || maxBytes === MAX_UPLOAD_BYTES) throw error;
    throw new AppError("PAYLOAD_TOO_LARGE", `The file is too large: this upload is for at most ${maxBytes} bytes`);
  });
  if (bytes.byteLength === 0) throw new AppError("BAD_REQUEST", "The upload is empty");
  // Another file may have come meanwhile, or the time of the upload may be over.
  await findIssued(deps, { id, uploadRef });
  // Each attempt has a key of its own: one that comes too late replaces nothing.
  const attempt = uuidv7();
  const key = blobKey({ ...upload, attempt });
  await deps.blobs.put(key, bytes);
  if (!(await deps.uploads.receive(upload.id, attempt))) {
    // Where this fails, the file is deleted with its day.
    await deps.blobs.delete([key]).catch(() => undefined);
    throw new AppError("BAD_REQUEST", "A file was already uploaded for this uploadRef");
  }
}

/**
 * Reads an uploaded file: until it was read once. Requests that come meanwhile read it too: those of one isolate read a file of more
 * than 64 kB one after the other.
 * @throws AppError BAD_REQUEST for an invalid, expired or used reference, one without a file, and one of another team; RATE_LIMITED
 * when its turn or room for it does not come in time.
 */
export async function withUpload<Result>(
  deps: ReadDeps,
  { key }: Caller,
  { uploadRef, read }: { uploadRef: string; read: (file: ParseRequest["file"]) => Promise<Result> },
): Promise<Result> {
  const upload = await findUpload(deps, uploadRef);
  if (upload.teamId !== key.teamId) throw badReference();
  if (upload.state === "issued") throw new AppError("BAD_REQUEST", "No file was uploaded for this uploadRef yet");
  if (upload.state === "parsed") throw usedReference();
  return await readers.run(upload.id, {
    work: async (takeTurn) => {
      const { bytes, release } = await readFile(deps, { upload, owner: ownerOf(key), takeTurn });
      try {
        const { fileName, contentType } = upload;
        const result = await read({ fileName, contentType, bytes });
        // Only now: a file whose reading ended with the process can be read again.
        await deps.uploads.move(upload.id, "uploaded", "parsed").catch(() => undefined);
        return result;
      } finally {
        release();
      }
    },
    // When one of these fails, the rest is deleted with its day.
    forget: async () =>
      void (await Promise.allSettled([deps.blobs.deletePrefix(folderOf(upload)), deps.uploads.forgetFile(upload.id)])),
    left: deps.clientLeft,
  });
}

/** Reads the file of an upload. A long one waits for its turn, and then for room, before it is in memory. */
async function readFile(
  { blobs, memory, clientLeft: left }: ReadDeps,
  {
    upload,
    owner,
    takeTurn,
  }: { upload: Upload; owner: Owner; takeTurn: (owner: Owner, waitMs: number) => Promise<() => void> },
): Promise<{ bytes: Uint8Array; release: () => void }> {
  const key = blobKey(upload);
  const found = await blobs.stream(key);
  if (found === undefined) throw usedReference();
  if (found.size <= SHORT_BYTES) {
    const bytes = new Uint8Array(await new Response(found.body).arrayBuffer());
    return { bytes, release: () => undefined };
  }
  await found.body.cancel();
  const sinceMs = Date.now();
  const endTurn = await takeTurn(owner, FILE_WAIT_MS);
  let free: (() => void) | undefined;
  const release = (): void => {
    free?.();
    endTurn();
  };
  try {
    free = await takeRoom(memory, owner, found.size, { waitMs: FILE_WAIT_MS - (Date.now() - sinceMs), left });
    const blob = await blobs.get(key);
    if (blob === undefined) throw usedReference();
    return { bytes: blob.bytes, release };
  } catch (error) {
    release();
    throw error;
  }
}

/** Returns an upload without a file. @throws AppError BAD_REQUEST */
async function findIssued(deps: UploadDeps, { id, uploadRef }: { id: string; uploadRef: string }): Promise<Upload> {
  const upload = await findUpload(deps, uploadRef);
  if (upload.id !== id) throw badReference();
  if (upload.state !== "issued") throw new AppError("BAD_REQUEST", "A file was already uploaded for this uploadRef");
  return upload;
}

async function findUpload({ uploads, clock }: UploadDeps, uploadRef: string): Promise<Upload> {
  const [, id, token] = REF.exec(uploadRef) ?? [];
  if (id === undefined || token === undefined) throw badReference();
  const upload = await uploads.find(id);
  if (upload === undefined || upload.tokenHash !== (await sha256Hex(token))) throw badReference();
  if (upload.expiresAtMs <= clock.now()) throw new AppError("BAD_REQUEST", "This uploadRef has expired");
  return upload;
}

function usedReference(): AppError {
  return new AppError("BAD_REQUEST", "The file of this uploadRef was already parsed");
}

function badReference(): AppError {
  return new AppError("BAD_REQUEST", "Invalid uploadRef: its signature is not from this service");
}

/** Returns the key of the uploaded file. Those of earlier versions are not by attempt. */
function blobKey(upload: Pick<Upload, "id" | "createdAtMs" | "attempt">): string {
  const { attempt } = upload;
  return attempt === undefined ? folderOf(upload) : `${folderOf(upload)}/${attempt}`;
}

function folderOf({ id, createdAtMs }: Pick<Upload, "id" | "createdAtMs">): string {
  return `${UPLOADS}${dayKey(createdAtMs)}/${id}`;
}
