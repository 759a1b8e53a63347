import { crc32, deflateSync } from 'node:zlib';

/** Pixels of a picture: red, green and blue of each. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly rgb: Buffer;
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const colorsMax = 256;

/**
 * Encodes pixels as a PNG with a palette, which takes a third of the bytes. Levels of a color
 * channel are rounded to multiples of 16, or of more where that leaves too many colors.
 */
export function palettePng(pixels: Pixels, step = 16): Buffer {
  const { width, height, rgb } = pixels;
  const palette = new Map<number, number>();
  // Each row begins with its filter: none.
  const rows = Buffer.alloc(height * (width + 1));
  const level = (at: number) => Math.min(255, Math.round((rgb[at] ?? 0) / step) * step);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const at = 3 * pixel;
    const color = (level(at) << 16) | (level(at + 1) << 8) | level(at + 2);
    const index = palette.get(color) ?? palette.size;
    if (index === colorsMax) return palettePng(pixels, 2 * step);
    palette.set(color, index);
    rows[pixel + Math.floor(pixel / width) + 1] = index;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits a pixel, with a palette.
  header.set([8, 3], 8);
  const colors = Buffer.from([...palette.keys()].flatMap((one) => [one >> 16, one >> 8, one]));
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', colors),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
