import { unskippableProductCommands } from './commands';
import { createProduct, setMeterPrices } from './product';

const now = new Date('2026-01-31T12:00:00.000Z');

test('the command that stores a replaced set of meter prices cannot be skipped, because bills wait for it', () => {
  const product = createProduct(
    { name: 'Team', type: 'FLAT', currency: 'USD', amount: 2900n, billingInterval: 'MONTHLY' },
    { id: 'product', priceIdOf: String, now, metadataProblems: [] },
  );
  const { commands } = setMeterPrices(
    product,
    [{ meterId: 'meter', type: undefined, unitAmount: '1' }],
    {
      now,
      idOf: (set, index) => `${String(set)}/${String(index)}`,
      knownMeterIds: new Set(['meter']),
      metadataProblemsOf: () => [],
    },
  );
  expect(commands).toHaveLength(1);
  for (const { type } of commands) expect(unskippableProductCommands[type]).toBeDefined();
});
