import { crc32, inflateSync } from 'node:zlib';
import type { ImageLimits, ImageSize } from './image-size';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

interface Header extends ImageSize {
  readonly bitsPerPixel: number;
  readonly isIndexed: boolean;
  readonly isInterlaced: boolean;
}

/** Samples per pixel, and allowed bits per sample, by color type. */
const colorTypes: ReadonlyMap<number, { samples: number; depths: readonly number[] }> = new Map([
  [0, { samples: 1, depths: [1, 2, 4, 8, 16] }],
  [2, { samples: 3, depths: [8, 16] }],
  [3, { samples: 1, depths: [1, 2, 4, 8] }],
  [4, { samples: 2, depths: [8, 16] }],
  [6, { samples: 4, depths: [8, 16] }],
]);

const indexedColor = 3;
const filtersMax = 4;

// Start and step of the columns and rows of each pass of an interlaced image (Adam7).
const passes = [
  { x: 0, y: 0, dx: 8, dy: 8 },
  { x: 4, y: 0, dx: 8, dy: 8 },
  { x: 0, y: 4, dx: 4, dy: 8 },
  { x: 2, y: 0, dx: 4, dy: 4 },
  { x: 0, y: 2, dx: 2, dy: 4 },
  { x: 1, y: 0, dx: 2, dy: 2 },
  { x: 0, y: 1, dx: 1, dy: 2 },
];

/** Size of a PNG image; undefined if the bytes are no valid image within the limits. */
export function pngSize(bytes: Buffer, { pixelsMax }: ImageLimits): ImageSize | undefined {
  const chunks = readChunks(bytes);
  const first = chunks?.[0];
  if (chunks === undefined || first?.type !== 'IHDR') return undefined;
  const header = readHeader(first.data);
  if (header === undefined || header.width > pixelsMax || header.height > pixelsMax) {
    return undefined;
  }
  if (!isInOrder(chunks, header) || !isDecodable(chunks, header)) return undefined;
  return { width: header.width, height: header.height };
}

/** All chunks of a file that ends with its last chunk; undefined if one is damaged. */
function readChunks(bytes: Buffer): Chunk[] | undefined {
  if (!bytes.subarray(0, signature.length).equals(signature)) return undefined;
  const chunks: Chunk[] = [];
  let offset = signature.length;
  while (offset < bytes.length) {
    if (bytes.length - offset < 12) return undefined;
    const length = bytes.readUInt32BE(offset);
    const end = offset + 12 + length;
    if (end > bytes.length) return undefined;
    const checked = bytes.subarray(offset + 4, end - 4);
    if (crc32(checked) !== bytes.readUInt32BE(end - 4)) return undefined;
    chunks.push({ type: checked.toString('latin1', 0, 4), data: checked.subarray(4) });
    offset = end;
  }
  return chunks;
}

function readHeader(data: Buffer): Header | undefined {
  if (data.length !== 13) return undefined;
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
  const [depth, color, compression, filter, interlace] = [...data.subarray(8)];
  const type = colorTypes.get(color ?? -1);
  const isKnown = compression === 0 && filter === 0 && (interlace === 0 || interlace === 1);
  if (width === 0 || height === 0 || !isKnown || depth === undefined) return undefined;
  if (type?.depths.includes(depth) !== true) return undefined;
  return {
    ...{ width, height, bitsPerPixel: type.samples * depth },
    isIndexed: color === indexedColor,
    isInterlaced: interlace === 1,
  };
}

/** True if the chunks that an image needs are there, once, in the order of the standard. */
function isInOrder(chunks: readonly Chunk[], { isIndexed }: Header): boolean {
  const types = chunks.map(({ type }) => type);
  const data = types.flatMap((type, index) => (type === 'IDAT' ? [index] : []));
  const [firstData, lastData] = [data[0], data.at(-1)];
  const isTogether =
    firstData !== undefined && lastData !== undefined && lastData - firstData + 1 === data.length;
  const palettes = types.flatMap((type, index) => (type === 'PLTE' ? [index] : []));
  const isPaletteRight =
    palettes.length <= 1 &&
    (!isIndexed || palettes.length === 1) &&
    palettes.every((index) => index < (firstData ?? 0));
  const isCriticalKnown = types.every(
    (type) => /^[a-z]/u.test(type) || ['IHDR', 'PLTE', 'IDAT', 'IEND'].includes(type),
  );
  return (
    isTogether &&
    isPaletteRight &&
    isCriticalKnown &&
    types.lastIndexOf('IHDR') === 0 &&
    types.indexOf('IEND') === types.length - 1 &&
    chunks.at(-1)?.data.length === 0
  );
}

/** True if the data decompresses to exactly the rows of the image. */
function isDecodable(chunks: readonly Chunk[], header: Header): boolean {
  const data = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map((one) => one.data));
  const rowLengths = rowLengthsOf(header);
  const size = rowLengths.reduce((sum, length) => sum + length, 0);
  let rows: Buffer;
  try {
    rows = inflateSync(data, { maxOutputLength: size });
  } catch {
    return false;
  }
  if (rows.length !== size) return false;
  let offset = 0;
  return rowLengths.every((length) => {
    const filter = rows[offset] ?? 0;
    offset += length;
    return filter <= filtersMax;
  });
}

/** Bytes of each row with its filter byte. */
function rowLengthsOf({ width, height, bitsPerPixel, isInterlaced }: Header): number[] {
  const used = isInterlaced ? passes : [{ x: 0, y: 0, dx: 1, dy: 1 }];
  return used.flatMap(({ x, y, dx, dy }) => {
    const columns = Math.ceil((width - x) / dx);
    const rows = Math.ceil((height - y) / dy);
    if (columns <= 0 || rows <= 0) return [];
    const length = 1 + Math.ceil((columns * bitsPerPixel) / 8);
    return Array.from({ length: rows }, () => length);
  });
}
