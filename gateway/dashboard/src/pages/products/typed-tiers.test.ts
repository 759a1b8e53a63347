import { tiersToType, typedTiers } from './typed-tiers';

test('a line is a tier: bound, price per unit, flat fee', () => {
  expect(typedTiers('100, 50\n\n1000, 40, 500\n-, 30\n')).toEqual([
    { upTo: '100', unitAmount: '50' },
    { upTo: '1000', unitAmount: '40', flatAmount: '500' },
    { upTo: null, unitAmount: '30' },
  ]);
});

test('an invalid line is sent to the server unchanged', () => {
  expect(typedTiers('many')).toEqual([{ upTo: 'many', unitAmount: '' }]);
  expect(typedTiers('')).toEqual([]);
});

test('tiers that are formatted for editing parse to the same tiers', () => {
  const tiers = [
    { upTo: '100', unitAmount: '0.5', flatAmount: '0' },
    { upTo: null, unitAmount: '0.25', flatAmount: '500' },
  ];
  expect(typedTiers(tiersToType(tiers))).toEqual(tiers);
});
