import { taxPeriods, taxReasonText } from './tax-report';

test('periods are the last months, quarters and years, the newest of each first', () => {
  const periods = taxPeriods(new Date('2026-02-28T23:59:59Z'));
  const days = (name: string) => {
    const found = periods.find((one) => one.name === name);
    return found && [found.from, found.to];
  };
  expect(periods[0].name).toBe('2026-02');
  expect(days('2026-02')).toEqual(['2026-02-01', '2026-03-01']);
  expect(days('2025-02')).toEqual(['2025-02-01', '2025-03-01']);
  expect(days('2026-Q1')).toEqual(['2026-01-01', '2026-04-01']);
  expect(days('2025-Q4')).toEqual(['2025-10-01', '2026-01-01']);
  expect(days('2025-Q1')).toEqual(['2025-01-01', '2025-04-01']);
  expect(days('2025')).toEqual(['2025-01-01', '2026-01-01']);
  expect(new Set(periods.map(({ name }) => name)).size).toBe(periods.length);
});

test('a reason has a text', () => {
  expect(taxReasonText('REVERSE_CHARGE')).toBe('Reverse charge');
});
