import type { Edit } from '../upgrade/releases';
import { RandomRestores } from './random-restores';

jest.setTimeout(3 * 3_600_000);

// Of so many seeds, one reaches the fault.
const seedsMax = 4;

const withoutSeries: Edit = {
  file: 'services/checkout/dist/invoice/number/invoice-number-store.js',
  from: 'const series = this.series() ?? undefined;',
  to: 'const series = undefined;',
};

interface Fault {
  readonly edit: Edit;
  readonly firstSeed: number;
  /** Text of the failure. */
  readonly reason: RegExp;
}

const faults: readonly [string, Fault][] = [
  [
    'where numbers continue after a restore',
    { edit: withoutSeries, firstSeed: 1, reason: /was given to/ },
  ],
];

/** Runs seeds on a faulty release until one fails. */
async function firstFailure({
  edit,
  firstSeed,
}: Fault): Promise<{ seed: number; failure: string } | undefined> {
  const restores = new RandomRestores([edit]);
  try {
    for (let seed = firstSeed; seed < firstSeed + seedsMax; seed += 1) {
      const failure = await restores.failureOf(seed);
      if (failure !== undefined) return { seed, failure };
    }
    return undefined;
  } finally {
    await restores.end();
  }
}

async function failureWithoutFault(seed: number): Promise<string | undefined> {
  const restores = new RandomRestores();
  try {
    return await restores.failureOf(seed);
  } finally {
    await restores.end();
  }
}

describe('random restores fail', () => {
  test.each(faults)('%s', async (_name, fault) => {
    const found = await firstFailure(fault);
    expect(found?.failure).toMatch(fault.reason);
    // The fault is the reason.
    expect(await failureWithoutFault(found!.seed)).toBeUndefined();
  });
});
