/** The bytes are no valid image. */
export class DamagedImage extends Error {
  override readonly name = 'DamagedImage';
}

const codeLengthMax = 16;

/** Huffman code of a JPEG image. */
export class HuffmanTable {
  /** Table of `counts[n]` codes with n + 1 bits each, in the order of their symbols. */
  constructor(
    private readonly counts: Uint8Array,
    private readonly symbols: Uint8Array,
  ) {}

  /** Reads one symbol. */
  read(bits: BitReader): number {
    let [code, first, index] = [0, 0, 0];
    for (let length = 0; length < codeLengthMax; length += 1) {
      code |= bits.bit();
      const count = this.counts[length] ?? 0;
      if (code - first < count) return this.symbols[index + code - first] ?? 0;
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw new DamagedImage('Unknown code');
  }
}

/** Reads the bits of a scan. A marker ends them. */
export class BitReader {
  private current = 0;
  private left = 0;

  constructor(
    private readonly bytes: Buffer,
    public offset: number,
  ) {}

  bit(): number {
    if (this.left === 0) {
      this.current = this.nextByte();
      this.left = 8;
    }
    this.left -= 1;
    return (this.current >> this.left) & 1;
  }

  /** Unsigned number of `length` bits. */
  number(length: number): number {
    let value = 0;
    for (let count = 0; count < length; count += 1) value = (value << 1) | this.bit();
    return value;
  }

  /** Signed number in the notation of coefficients. */
  signed(length: number): number {
    if (length === 0) return 0;
    const value = this.number(length);
    return value < 1 << (length - 1) ? value - (1 << length) + 1 : value;
  }

  /** Skips a restart marker and the rest of the byte before it. */
  restart(expected: number): void {
    this.left = 0;
    if (this.bytes[this.offset] !== 0xff || this.bytes[this.offset + 1] !== expected) {
      throw new DamagedImage('No restart marker');
    }
    this.offset += 2;
  }

  private nextByte(): number {
    const byte = this.bytes[this.offset];
    if (byte === undefined) throw new DamagedImage('The scan is cut off');
    this.offset += 1;
    if (byte !== 0xff) return byte;
    if (this.bytes[this.offset] !== 0) throw new DamagedImage('The scan ends early');
    this.offset += 1;
    return byte;
  }
}
