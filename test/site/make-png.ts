import { crc32, deflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export interface PngSize {
  width: number;
  height: number;
}

/** A PNG (W3C PNG specification, third edition) whose colours are drawn from the name: a sky, a sea and a boat. */
export function makePng({ width, height }: PngSize, name: string): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const rows = drawRows({ width, height }, crc32(name));
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Rows of 8-bit RGB, each led by filter type 0. */
function drawRows({ width, height }: PngSize, seed: number): Buffer {
  const sky = [150 + (seed % 80), 170 + ((seed >> 7) % 60), 215] as const;
  const sea = [20, 60 + ((seed >> 3) % 90), 90 + ((seed >> 11) % 90)] as const;
  const boat = [200, 60 + (seed % 120), 30] as const;
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const isBoat = Math.abs(x / width - 0.5) < 0.12 && Math.abs(y / height - 0.55) < 0.07;
      rows.set(isBoat ? boat : y < height * 0.6 ? sky : sea, y * (1 + width * 3) + 1 + x * 3);
    }
  }
  return rows;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
