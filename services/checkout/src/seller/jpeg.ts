import type { ImageLimits, ImageSize } from './image-size';
import { BitReader, DamagedImage, HuffmanTable } from './jpeg-bits';
import { type Component, decodeScan, type Scan, type ScanComponent } from './jpeg-scan';

const blockPixels = 8;
const samplingMax = 4;
// The standard allows ten blocks in an interleaved unit.
const blocksOfUnitMax = 10;
// Encoders write about ten scans; each one costs a pass over the image.
const scansMax = 64;

const marker = {
  start: 0xd8,
  end: 0xd9,
  scan: 0xda,
  huffman: 0xc4,
  quantization: 0xdb,
  restart: 0xdd,
};
const baselineFrames = [0xc0, 0xc1];
const progressiveFrame = 0xc2;

interface Frame extends ImageSize {
  readonly isProgressive: boolean;
  readonly components: readonly Component[];
  readonly unitColumns: number;
  readonly unitRows: number;
}

/**
 * Size of a JPEG image, baseline or progressive; undefined if the bytes are no valid image within
 * the limits.
 */
export function jpegSize(bytes: Buffer, limits: ImageLimits): ImageSize | undefined {
  try {
    const { width, height } = new JpegReader(bytes, limits).read();
    return { width, height };
  } catch (error) {
    if (error instanceof DamagedImage) return undefined;
    throw error;
  }
}

/** Decodes the coefficients of an image, which finds any damage. */
class JpegReader {
  private offset = 0;
  private frame: Frame | undefined;
  private restartInterval = 0;
  private scans = 0;
  private readonly scanned = new Set<Component>();
  private readonly quantizations = new Set<number>();
  /** By class (0 for first coefficients, 1 for others) and id. */
  private readonly huffman = new Map<number, HuffmanTable>();

  constructor(
    private readonly bytes: Buffer,
    private readonly limits: ImageLimits,
  ) {}

  read(): Frame {
    if (this.byte() !== 0xff || this.byte() !== marker.start) throw new DamagedImage('No image');
    for (;;) {
      const found = this.nextMarker();
      if (found === marker.end) return this.finished();
      this.readSegment(found);
    }
  }

  private finished(): Frame {
    const { frame } = this;
    const isComplete = frame?.components.every((component) => this.scanned.has(component));
    if (frame === undefined || isComplete !== true || this.offset !== this.bytes.length) {
      throw new DamagedImage('The image is incomplete, or not alone');
    }
    return frame;
  }

  private readSegment(found: number): void {
    const length = this.short();
    const data = this.take(length - 2);
    if (found === marker.huffman) this.readHuffman(data);
    else if (found === marker.quantization) this.readQuantization(data);
    else if (found === marker.restart) this.restartInterval = shortAt(data, 0);
    else if (found === marker.scan) this.readScan(data);
    else if (baselineFrames.includes(found) || found === progressiveFrame) {
      this.readFrame(data, found === progressiveFrame);
    } else if ((found < 0xe0 || found > 0xef) && found !== 0xfe) {
      throw new DamagedImage('Unsupported segment');
    }
  }

  private readFrame(data: Buffer, isProgressive: boolean): void {
    const [height, width, count] = [shortAt(data, 1), shortAt(data, 3), byteAt(data, 5)];
    const { pixelsMax } = this.limits;
    if (this.frame !== undefined || byteAt(data, 0) !== 8 || data.length !== 6 + 3 * count) {
      throw new DamagedImage('Unsupported frame');
    }
    if (width < 1 || height < 1 || width > pixelsMax || height > pixelsMax) {
      throw new DamagedImage('Size out of range');
    }
    if (![1, 3, 4].includes(count)) throw new DamagedImage('Unsupported components');
    const sampled = Array.from({ length: count }, (_, index) => {
      const [id, sampling, quantization] = [...data.subarray(6 + 3 * index)];
      const [horizontal, vertical] = [(sampling ?? 0) >> 4, (sampling ?? 0) & 15];
      const isValid = [horizontal, vertical].every((one) => one >= 1 && one <= samplingMax);
      if (!isValid) throw new DamagedImage('Sampling out of range');
      return { id: id ?? 0, horizontal, vertical, quantization: quantization ?? 0 };
    });
    this.frame = { width, height, isProgressive, ...layoutOf(sampled, { width, height }) };
  }

  private readHuffman(data: Buffer): void {
    let offset = 0;
    while (offset < data.length) {
      const key = byteAt(data, offset);
      const counts = data.subarray(offset + 1, offset + 17);
      const total = counts.reduce((sum, count) => sum + count, 0);
      const symbols = data.subarray(offset + 17, offset + 17 + total);
      if ((key & 0xec) !== 0) throw new DamagedImage('Unknown table');
      if (counts.length < 16 || symbols.length < total) throw new DamagedImage('Table cut off');
      this.huffman.set(key, new HuffmanTable(counts, symbols));
      offset += 17 + total;
    }
  }

  private readQuantization(data: Buffer): void {
    let offset = 0;
    while (offset < data.length) {
      const key = byteAt(data, offset);
      offset += 1 + 64 * ((key >> 4) + 1);
      if (key >> 4 > 1 || (key & 15) > 3) throw new DamagedImage('Unknown table');
      this.quantizations.add(key & 15);
    }
    if (offset !== data.length) throw new DamagedImage('Table cut off');
  }

  private readScan(data: Buffer): void {
    const { frame } = this;
    const count = byteAt(data, 0);
    this.scans += 1;
    if (frame === undefined || data.length !== 4 + 2 * count || this.scans > scansMax) {
      throw new DamagedImage('Unexpected scan');
    }
    const components = Array.from({ length: count }, (_, index) =>
      this.scanComponent(frame, data.subarray(1 + 2 * index)),
    );
    const [start, end, bitsUsed] = [...data.subarray(1 + 2 * count)];
    const scan: Scan = {
      ...{ components, isProgressive: frame.isProgressive },
      ...{ unitColumns: frame.unitColumns, unitRows: frame.unitRows },
      restartInterval: this.restartInterval,
      start: frame.isProgressive ? (start ?? 0) : 0,
      end: frame.isProgressive ? (end ?? 0) : 63,
      high: frame.isProgressive ? (bitsUsed ?? 0) >> 4 : 0,
      low: frame.isProgressive ? (bitsUsed ?? 0) & 15 : 0,
    };
    checkScan(scan);
    const bits = new BitReader(this.bytes, this.offset);
    decodeScan(scan, bits);
    this.offset = bits.offset;
    for (const { component } of components) this.scanned.add(component);
  }

  private scanComponent(frame: Frame, data: Buffer): ScanComponent {
    const [id, tables] = [byteAt(data, 0), byteAt(data, 1)];
    const component = frame.components.find((one) => one.id === id);
    if (component === undefined || !this.quantizations.has(component.quantization)) {
      throw new DamagedImage('Unknown component or table');
    }
    const dc = this.huffman.get(tables >> 4);
    const ac = this.huffman.get(16 + (tables & 15));
    return { component, dc, ac };
  }

  private nextMarker(): number {
    if (this.byte() !== 0xff) throw new DamagedImage('No marker');
    let found = this.byte();
    // Fill bytes may precede a marker.
    while (found === 0xff) found = this.byte();
    return found;
  }

  private byte(): number {
    const value = byteAt(this.bytes, this.offset);
    this.offset += 1;
    return value;
  }

  private short(): number {
    return this.byte() * 256 + this.byte();
  }

  private take(length: number): Buffer {
    const data = this.bytes.subarray(this.offset, this.offset + Math.max(length, 0));
    if (length < 0 || data.length !== length) throw new DamagedImage('Segment cut off');
    this.offset += length;
    return data;
  }
}

function checkScan({ components, isProgressive, start, end, high, low }: Scan): void {
  const blocks = components.reduce(
    (sum, { component }) => sum + component.horizontal * component.vertical,
    0,
  );
  const isInRange = start <= end && end <= 63 && low <= 13 && (high === 0 || high === low + 1);
  // Progressive scans hold either the first coefficients or others of one component.
  const isSeparate = !isProgressive || (start === 0 ? end === 0 : components.length === 1);
  const isUnitValid = components.length === 1 || blocks <= blocksOfUnitMax;
  const isEach = new Set(components.map(({ component }) => component)).size === components.length;
  if (components.length === 0 || !isInRange || !isSeparate || !isUnitValid || !isEach) {
    throw new DamagedImage('Unsupported scan');
  }
}

function layoutOf(
  sampled: readonly Pick<Component, 'id' | 'horizontal' | 'vertical' | 'quantization'>[],
  { width, height }: ImageSize,
): Pick<Frame, 'components' | 'unitColumns' | 'unitRows'> {
  const horizontalMax = Math.max(...sampled.map(({ horizontal }) => horizontal));
  const verticalMax = Math.max(...sampled.map(({ vertical }) => vertical));
  const unitColumns = Math.ceil(width / (blockPixels * horizontalMax));
  const unitRows = Math.ceil(height / (blockPixels * verticalMax));
  const components = sampled.map((one) => {
    const stride = unitColumns * one.horizontal;
    const blocks = stride * unitRows * one.vertical;
    return {
      ...one,
      columns: Math.ceil(Math.ceil((width * one.horizontal) / horizontalMax) / blockPixels),
      rows: Math.ceil(Math.ceil((height * one.vertical) / verticalMax) / blockPixels),
      stride,
      coefficients: new Int16Array(blocks * blockPixels ** 2),
      known: new Uint32Array(blocks * 2),
    };
  });
  return { components, unitColumns, unitRows };
}

function byteAt(data: Buffer, offset: number): number {
  const value = data[offset];
  if (value === undefined) throw new DamagedImage('Data cut off');
  return value;
}

function shortAt(data: Buffer, offset: number): number {
  return byteAt(data, offset) * 256 + byteAt(data, offset + 1);
}
