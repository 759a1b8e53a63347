import { type BitReader, DamagedImage, type HuffmanTable } from './jpeg-bits';

const coefficientsOfBlock = 64;
const bitsOfWord = 32;
// 8 bits per sample give differences of at most 11 bits, and coefficients of at most 10 bits.
const differenceBitsMax = 11;
const firstRestartMarker = 0xd0;

/** Component of a frame, such as luminance. */
export interface Component {
  readonly id: number;
  /** Sampling factors: blocks per unit of interleaved scans. */
  readonly horizontal: number;
  readonly vertical: number;
  readonly quantization: number;
  /** Blocks of a scan of this component alone. */
  readonly columns: number;
  readonly rows: number;
  /** Blocks in one row of the stored coefficients. */
  readonly stride: number;
  /** Coefficients decoded so far, 64 for each block. */
  readonly coefficients: Int16Array;
  /** One bit for each coefficient that is not 0, but for the first ones; 2 words for each block. */
  readonly known: Uint32Array;
}

/** One pass over the image. */
export interface Scan {
  readonly components: readonly ScanComponent[];
  readonly isProgressive: boolean;
  /** First and last coefficient. */
  readonly start: number;
  readonly end: number;
  /** Bit position of the previous scan of these coefficients; 0: none. */
  readonly high: number;
  readonly low: number;
  /** Units between two restart markers; 0: none. */
  readonly restartInterval: number;
  /** Units of an interleaved scan. */
  readonly unitColumns: number;
  readonly unitRows: number;
}

export interface ScanComponent {
  readonly component: Component;
  readonly dc: HuffmanTable | undefined;
  readonly ac: HuffmanTable | undefined;
}

/** State that a restart marker resets. */
interface Progress {
  readonly predictions: Map<Component, number>;
  /** Blocks that follow without further coefficients. */
  endOfBlocks: number;
}

/** Decodes a scan up to its last unit. Throws DamagedImage. */
export function decodeScan(scan: Scan, bits: BitReader): void {
  const progress: Progress = { predictions: new Map(), endOfBlocks: 0 };
  const [only] = scan.components;
  const isSingle = scan.components.length === 1 && only !== undefined;
  const columns = isSingle ? only.component.columns : scan.unitColumns;
  const units = columns * (isSingle ? only.component.rows : scan.unitRows);
  for (let unit = 0; unit < units; unit += 1) {
    if (scan.restartInterval > 0 && unit > 0 && unit % scan.restartInterval === 0) {
      bits.restart(firstRestartMarker + ((unit / scan.restartInterval - 1) % 8));
      progress.predictions.clear();
      progress.endOfBlocks = 0;
    }
    const [column, row] = [unit % columns, Math.floor(unit / columns)];
    if (isSingle) decodeBlock(scan, only, { column, row, bits, progress });
    else decodeUnit(scan, { column, row, bits, progress });
  }
}

interface Place {
  readonly column: number;
  readonly row: number;
  readonly bits: BitReader;
  readonly progress: Progress;
}

function decodeUnit(scan: Scan, { column, row, ...rest }: Place): void {
  for (const part of scan.components) {
    const { horizontal, vertical } = part.component;
    for (let y = 0; y < vertical; y += 1) {
      for (let x = 0; x < horizontal; x += 1) {
        const place = { column: column * horizontal + x, row: row * vertical + y };
        decodeBlock(scan, part, { ...rest, ...place });
      }
    }
  }
}

function decodeBlock(scan: Scan, part: ScanComponent, place: Place): void {
  const { component } = part;
  const offset = (place.row * component.stride + place.column) * coefficientsOfBlock;
  if (scan.start === 0) decodeFirst(scan, part, { ...place, offset });
  if (scan.end === 0) return;
  // A few bytes can end thousands of blocks, so coefficients that are 0 are not visited.
  const word = offset / bitsOfWord;
  const isEmpty = component.known[word] === 0 && component.known[word + 1] === 0;
  if (place.progress.endOfBlocks > 0 && isEmpty) {
    place.progress.endOfBlocks -= 1;
    return;
  }
  const block = { offset, bits: place.bits, progress: place.progress };
  if (scan.high === 0) decodeRest(scan, part, block);
  else refineRest(scan, part, block);
}

function decodeFirst(
  { high, low }: Scan,
  { component, dc }: ScanComponent,
  { bits, progress: { predictions }, offset }: Place & { readonly offset: number },
): void {
  const { coefficients } = component;
  if (high > 0) {
    coefficients[offset] = (coefficients[offset] ?? 0) | (bits.bit() << low);
    return;
  }
  const length = tableOf(dc).read(bits);
  if (length > differenceBitsMax) throw new DamagedImage('Difference out of range');
  const value = (predictions.get(component) ?? 0) + bits.signed(length);
  predictions.set(component, value);
  coefficients[offset] = value << low;
}

interface Block {
  readonly offset: number;
  readonly bits: BitReader;
  readonly progress: Progress;
}

function decodeRest(
  { start, end, low, isProgressive }: Scan,
  { component, ac }: ScanComponent,
  { offset, bits, progress }: Block,
): void {
  if (progress.endOfBlocks > 0) {
    progress.endOfBlocks -= 1;
    return;
  }
  const table = tableOf(ac);
  let place = Math.max(start, 1);
  while (place <= end) {
    const symbol = table.read(bits);
    const [zeros, length] = [symbol >> 4, symbol & 15];
    if (length === 0 && zeros < 15) {
      if (isProgressive) progress.endOfBlocks = (1 << zeros) - 1 + bits.number(zeros);
      else if (zeros > 0) throw new DamagedImage('Unknown run');
      return;
    }
    place += zeros;
    if (place > end) throw new DamagedImage('Coefficient out of range');
    if (length > 0) store(component, offset + place, bits.signed(length) << low);
    place += 1;
  }
}

/** Adds one bit to coefficients that are known, and finds those that were 0 so far. */
function refineRest(
  { start, end, low }: Scan,
  { component, ac }: ScanComponent,
  { offset, bits, progress }: Block,
): void {
  const { coefficients, known: knownBits } = component;
  const table = tableOf(ac);
  const unit = 1 << low;
  const refine = (index: number, value: number) => {
    if (bits.bit() === 1 && (Math.abs(value) & unit) === 0) {
      coefficients[index] = value + Math.sign(value) * unit;
    }
  };
  let place = Math.max(start, 1);
  while (progress.endOfBlocks === 0 && place <= end) {
    const symbol = table.read(bits);
    const length = symbol & 15;
    let zeros = symbol >> 4;
    if (length > 1) throw new DamagedImage('Coefficient out of range');
    if (length === 0 && zeros < 15) {
      progress.endOfBlocks = (1 << zeros) + bits.number(zeros);
      break;
    }
    const value = length === 0 ? 0 : unit * (bits.bit() === 1 ? 1 : -1);
    for (; place <= end; place += 1) {
      const known = coefficients[offset + place] ?? 0;
      if (known !== 0) refine(offset + place, known);
      else if (zeros === 0) break;
      else zeros -= 1;
    }
    if (place > end) throw new DamagedImage('Coefficient out of range');
    store(component, offset + place, value);
    place += 1;
  }
  if (progress.endOfBlocks === 0) return;
  for (let half = 0; half < 2; half += 1) {
    const first = half * bitsOfWord;
    let left = (knownBits[offset / bitsOfWord + half] ?? 0) & band(place - first, end - first);
    for (; left !== 0; left &= left - 1) {
      const index = offset + first + (bitsOfWord - 1 - Math.clz32(left & -left));
      refine(index, coefficients[index] ?? 0);
    }
  }
  progress.endOfBlocks -= 1;
}

/** Word with the bits from `start` to `end`, as far as it has them. */
function band(start: number, end: number): number {
  if (start >= bitsOfWord || end < 0) return 0;
  return (-1 << Math.max(start, 0)) & (-1 >>> Math.max(bitsOfWord - 1 - end, 0));
}

function store({ coefficients, known }: Component, index: number, value: number): void {
  coefficients[index] = value;
  const word = Math.floor(index / bitsOfWord);
  const bit = 1 << (index % bitsOfWord);
  const others = (known[word] ?? 0) & ~bit;
  // The array may have cut the value to 0.
  known[word] = coefficients[index] === 0 ? others : others | bit;
}

function tableOf(table: HuffmanTable | undefined): HuffmanTable {
  if (table === undefined) throw new DamagedImage('No code table');
  return table;
}
