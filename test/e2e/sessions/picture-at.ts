import { expect } from "vitest";

interface Picture {
  contentType: string | null;
  width: number;
  height: number;
}

/** Type and size of the picture at a URL of the service, which needs no key. */
export async function pictureAt(url: string | undefined): Promise<Picture> {
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v2\/files\/\S+$/);
  const response = await fetch(url ?? "");
  expect(response.status).toBe(200);
  const bytes = Buffer.from(await response.arrayBuffer());
  const size = bytes[0] === 0x89 ? pngSize(bytes) : jpegSize(bytes);
  return { contentType: response.headers.get("content-type"), ...size };
}

/** The header chunk comes first (PNG specification § 11.2.1). */
function pngSize(bytes: Buffer): { width: number; height: number } {
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** The frame header of one of the kinds that browsers write (ITU-T T.81 § B.2.2). */
function jpegSize(bytes: Buffer): { width: number; height: number } {
  for (let at = 2; at < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes[at + 1];
    if (marker === 0xc0 || marker === 0xc2) {
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
  }
  throw new Error("This is no JPEG picture");
}
