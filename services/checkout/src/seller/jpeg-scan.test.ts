import { BitReader, HuffmanTable } from './jpeg-bits';
import { type Component, decodeScan, type Scan } from './jpeg-scan';

const blocks = 1_000;
// Symbol of the only code, which is the bit 0.
const tableOf = (symbol: number) =>
  new HuffmanTable(Uint8Array.from([1, ...Array<number>(15).fill(0)]), Uint8Array.of(symbol));
const oneCoefficient = tableOf(0x01);
// Ends 512 blocks, and as many more as the next nine bits say: 488.
const endOfBlocks = tableOf(0x90);
const endOfAll = '0111101000';

/** Component whose coefficients count how often they are read. */
function aComponent(): { component: Component; reads: () => number } {
  let reads = 0;
  const component = {
    ...{ id: 1, horizontal: 1, vertical: 1, quantization: 0 },
    ...{ columns: blocks, rows: 1, stride: blocks },
    coefficients: new Proxy(new Int16Array(blocks * 64), {
      get: (array, key: string) => {
        reads += 1;
        return array[Number(key)];
      },
    }),
    known: new Uint32Array(blocks * 2),
  };
  return { component, reads: () => reads };
}

function decode(
  scan: Pick<Scan, 'start' | 'end' | 'high' | 'low'>,
  { component, ac, bits }: { component: Component; ac: HuffmanTable; bits: string },
): void {
  const bytes = (bits.match(/.{1,8}/g) ?? []).map((byte) => parseInt(byte.padEnd(8, '0'), 2));
  decodeScan(
    {
      ...{ ...scan, isProgressive: true, components: [{ component, dc: undefined, ac }] },
      ...{ restartInterval: 0, unitColumns: blocks, unitRows: 1 },
    },
    new BitReader(Buffer.from(bytes), 0),
  );
}

const first = { high: 0, low: 1 };
const refinement = { high: 1, low: 0 };

test('a refinement does not visit coefficients that are 0', () => {
  const { component, reads } = aComponent();
  // Each block has the coefficients 1, 33 and 63.
  for (const place of [1, 33, 63]) {
    const known = { component, ac: oneCoefficient, bits: '01'.repeat(blocks) };
    decode({ ...first, start: place, end: place }, known);
  }
  const before = reads();
  const ended = { component, ac: endOfBlocks, bits: endOfAll };
  decode({ ...refinement, start: 2, end: 32 }, ended);
  decode({ ...refinement, start: 34, end: 62 }, ended);
  expect(reads() - before).toBe(0);
});

test.each([
  [1, 63, [1, 33, 63]],
  [1, 32, [1]],
  [2, 33, [33]],
  [32, 62, [33]],
  [34, 63, [63]],
])(
  'a refinement from %i to %i reads a bit for each coefficient that is known',
  (start, end, refined) => {
    const { component } = aComponent();
    for (const place of [1, 33, 63]) {
      const known = { component, ac: oneCoefficient, bits: '01'.repeat(blocks) };
      decode({ ...first, start: place, end: place }, known);
    }
    const bits = endOfAll + '1'.repeat(refined.length) + '0'.repeat(refined.length * (blocks - 1));
    decode({ ...refinement, start, end }, { component, ac: endOfBlocks, bits });
    const places = Array.from({ length: 64 }, (_, place) => place);
    const valuesOf = (block: number) =>
      places.map((place) => component.coefficients[block * 64 + place]);
    const expected = places.map((place) => ([1, 33, 63].includes(place) ? 2 : 0));
    expect(valuesOf(1)).toEqual(expected);
    expect(valuesOf(0)).toEqual(
      expected.map((value, place) => (refined.includes(place) ? 3 : value)),
    );
  },
);
