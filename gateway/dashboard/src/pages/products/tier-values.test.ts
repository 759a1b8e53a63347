import { tierField, type TierRow, tierRows, typedTiers } from './tier-values';

const formOf = (rows: readonly TierRow[]) => {
  const fields = new Map(
    rows.flatMap((row, index) =>
      Object.entries(row).map(([name, value]) => [tierField(index, name as keyof TierRow), value]),
    ),
  );
  return {
    text: (name: string) => (fields.get(name) ?? '') as string,
    optional: (name: string) => (fields.get(name) || undefined) as string | undefined,
    has: (name: string) => fields.has(name),
  };
};

test('tiers are typed in major units and sent in the smallest unit', () => {
  const rows = [
    { upTo: ' 10 ', unitAmount: '5.00', flatAmount: '' },
    { upTo: '', unitAmount: '0,005', flatAmount: '12,50' },
  ];
  expect(typedTiers(formOf(rows), 'USD')).toEqual([
    { upTo: '10', unitAmount: '500' },
    { upTo: null, unitAmount: '0.5', flatAmount: '1250' },
  ]);
});

test('a form without tiers sends none', () => {
  expect(typedTiers(formOf([]), 'USD')).toBeUndefined();
});

test('stored tiers that are shown for editing are sent unchanged', () => {
  const tiers = [
    { upTo: '100', unitAmount: '0.5', flatAmount: '250' },
    { upTo: null, unitAmount: '0.25', flatAmount: '0' },
  ];
  const sent = typedTiers(formOf(tierRows(tiers, 'EUR')), 'EUR');
  expect(sent?.map((tier) => ({ flatAmount: '0', ...tier }))).toEqual(tiers);
});
