import { inflateSync } from 'node:zlib';

// WOFF is a font with individually compressed tables (https://www.w3.org/TR/WOFF/). The PDF library
// also reads it, but decompresses a table again for each glyph.

const signature = 0x774f4646;
const headerBytes = 44;
const entryBytes = 20;
const sfntHeaderBytes = 12;
const sfntEntryBytes = 16;

interface Table {
  readonly tag: Buffer;
  readonly checksum: Buffer;
  readonly bytes: Buffer;
}

/** Decompresses the font inside a WOFF file. */
export function fontOfWoff(woff: Buffer): Buffer {
  if (woff.readUInt32BE(0) !== signature) throw new Error('Not a WOFF file');
  const flavor = woff.subarray(4, 8);
  const count = woff.readUInt16BE(12);
  const tables = Array.from({ length: count }, (_, index) =>
    readTable(woff, headerBytes + index * entryBytes),
  );
  const directoryBytes = sfntHeaderBytes + count * sfntEntryBytes;
  const directory = [flavor, searchFields(count)];
  const bodies: Buffer[] = [];
  let offset = directoryBytes;
  for (const { tag, checksum, bytes } of tables) {
    directory.push(tag, checksum, uint32(offset), uint32(bytes.length));
    const padding = Buffer.alloc((4 - (bytes.length % 4)) % 4);
    bodies.push(bytes, padding);
    offset += bytes.length + padding.length;
  }
  return Buffer.concat([...directory, ...bodies]);
}

function readTable(woff: Buffer, entry: number): Table {
  const offset = woff.readUInt32BE(entry + 4);
  const compressedLength = woff.readUInt32BE(entry + 8);
  const length = woff.readUInt32BE(entry + 12);
  const stored = woff.subarray(offset, offset + compressedLength);
  return {
    tag: woff.subarray(entry, entry + 4),
    checksum: woff.subarray(entry + 16, entry + 20),
    bytes: compressedLength < length ? inflateSync(stored) : stored,
  };
}

/** Number of tables, with the search parameters of the header. */
function searchFields(count: number): Buffer {
  const power = 31 - Math.clz32(count);
  const range = 2 ** power * sfntEntryBytes;
  const fields = Buffer.alloc(8);
  [count, range, power, count * sfntEntryBytes - range].forEach((value, index) =>
    fields.writeUInt16BE(value, index * 2),
  );
  return fields;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
