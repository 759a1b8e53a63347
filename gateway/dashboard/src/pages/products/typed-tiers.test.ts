import { tiersToType, typedTiers } from './typed-tiers';

test('a line is a tier: bound, rate, flat amount', () => {
  expect(typedTiers('100, 50\n\n1000, 40, 500\n-, 30\n')).toEqual([
    { upTo: '100', unitAmount: '50' },
    { upTo: '1000', unitAmount: '40', flatAmount: '500' },
    { upTo: null, unitAmount: '30' },
  ]);
});

test('what is no tier is left to the server', () => {
  expect(typedTiers('many')).toEqual([{ upTo: 'many', unitAmount: '' }]);
  expect(typedTiers('')).toEqual([]);
});

test('tiers shown for changing are the same when they are typed', () => {
  const tiers = [
    { upTo: '100', unitAmount: '0.5', flatAmount: '0' },
    { upTo: null, unitAmount: '0.25', flatAmount: '500' },
  ];
  expect(typedTiers(tiersToType(tiers))).toEqual(tiers);
});
