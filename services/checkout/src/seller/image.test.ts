import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { readImage } from './image';

const folder = join(__dirname, '../../vectors/logos');
const names = readdirSync(folder);
const limits = { pixelsMax: 1600 };

function file(name: string): Buffer {
  return readFileSync(join(folder, name));
}

function chunk(type: string, data: Buffer): Buffer {
  const checked = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(checked));
  return Buffer.concat([length, checked, check]);
}

/** PNG image of one color. */
function png({
  width = 4,
  height = 4,
  rows = Buffer.alloc(height * (1 + width * 3)),
  interlace = 0,
  before = [],
}: {
  width?: number;
  height?: number;
  rows?: Buffer;
  interlace?: number;
  before?: Buffer[];
} = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, interlace], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    ...before,
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('an image', () => {
  test.each(names)('is read: %s', (name) => {
    const contentType = name.endsWith('.png') ? 'image/png' : 'image/jpeg';
    expect(readImage(file(name), limits)).toEqual({ width: 37, height: 21, contentType });
  });

  test.each(names)('is refused if it is cut off anywhere: %s', (name) => {
    const bytes = file(name);
    const accepted = [...bytes.keys()].filter(
      (length) => readImage(bytes.subarray(0, length), limits) !== undefined,
    );
    expect(accepted).toEqual([]);
  });

  test.each(names)('is refused with anything before or after it: %s', (name) => {
    const bytes = file(name);
    for (const added of ['<script>alert(1)</script>', 'PK\u0003\u0004', '\0']) {
      const other = Buffer.from(added);
      expect(readImage(Buffer.concat([bytes, other]), limits)).toBeUndefined();
      expect(readImage(Buffer.concat([other, bytes]), limits)).toBeUndefined();
    }
  });

  test.each(names)('with random bytes is read or refused: %s', (name) => {
    const bytes = file(name);
    const place = fc.integer({ min: 0, max: bytes.length - 1 });
    fc.assert(
      fc.property(fc.array(fc.tuple(place, fc.integer({ min: 0, max: 255 }))), (changes) => {
        const changed = Buffer.from(bytes);
        for (const [index, value] of changes) changed[index] = value;
        const { width = 1, height = 1 } = readImage(changed, limits) ?? {};
        expect(Math.max(width, height)).toBeLessThanOrEqual(limits.pixelsMax);
      }),
    );
  });

  test.each(['', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'GIF89a', '%PDF-1.7'])(
    'is neither empty nor of another format: %j',
    (text) => {
      expect(readImage(Buffer.from(text), limits)).toBeUndefined();
    },
  );

  test('has a baseline scan that ends with its last block', () => {
    const bytes = file('baseline.jpg');
    const end = bytes.subarray(-2);
    const accepted = [...bytes.keys()]
      .filter((length) => length < bytes.length - 2)
      .filter((length) => {
        const short = Buffer.concat([bytes.subarray(0, length), end]);
        return readImage(short, limits) !== undefined;
      });
    expect(accepted).toEqual([]);
  });
});

describe('a PNG image', () => {
  test('is accepted', () => {
    expect(readImage(png(), limits)).toMatchObject({ width: 4, height: 4 });
    const rows = Buffer.alloc(1600 * (1 + 1600 * 3));
    expect(readImage(png({ width: 1600, height: 1600, rows }), limits)).toBeDefined();
  });

  test('is accepted with interlaced rows', () => {
    // Seven passes over 8 × 8 pixels: 1, 1, 1, 2, 2, 4, 4 rows with 1, 1, 2, 2, 4, 4, 8 pixels.
    const pixels = 1 + 1 + 2 + 4 + 8 + 16 + 32;
    const rows = Buffer.alloc(15 + pixels * 3);
    const size = { width: 8, height: 8, interlace: 1 };
    expect(readImage(png({ ...size, rows }), limits)).toBeDefined();
    expect(readImage(png(size), limits)).toBeUndefined();
  });

  test.each([
    ['too wide', { width: 1601, height: 1, rows: Buffer.alloc(1 + 1601 * 3) }],
    ['too high', { width: 1, height: 1601, rows: Buffer.alloc(1601 * 4) }],
    ['of huge dimensions', { width: 2 ** 31 - 1, height: 2 ** 31 - 1, rows: Buffer.alloc(1) }],
    ['without pixels', { width: 0, rows: Buffer.alloc(4) }],
    ['with too few rows', { rows: Buffer.alloc(13) }],
    ['with too many rows', { rows: Buffer.alloc(1_000_000) }],
    ['with an unknown filter', { rows: Buffer.alloc(52, 9) }],
    ['with an unknown critical chunk', { before: [chunk('EVIL', Buffer.alloc(0))] }],
    ['with a second header', { before: [chunk('IHDR', Buffer.alloc(13))] }],
    [
      'with data in two places',
      { before: [chunk('IDAT', Buffer.alloc(0)), chunk('tEXt', Buffer.alloc(1))] },
    ],
  ])('is refused: %s', (_name, given) => {
    expect(readImage(png(given), limits)).toBeUndefined();
  });
});

test('a JPEG image of huge dimensions is refused before it is decoded', () => {
  const bytes = file('baseline.jpg');
  const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]));
  bytes.writeUInt16BE(65_535, frame + 5);
  bytes.writeUInt16BE(65_535, frame + 7);
  expect(readImage(bytes, limits)).toBeUndefined();
  expect(readImage(bytes, { pixelsMax: 65_535 })).toBeUndefined();
});
