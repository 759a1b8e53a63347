import { taxReportProblems, toReportSpan } from './tax-report';

test.each<[string, string, Record<string, string[]>]>([
  ['2026-01-01', '2026-02-01', { from: [], to: [] }],
  ['2026-01-01', '2027-02-05', { from: [], to: [] }],
  ['2026-01-01', '2027-02-06', { from: [], to: ['Must be at most 400 days after from'] }],
  ['2026-01-01', '2026-01-01', { from: [], to: ['Must be after from'] }],
  ['2026-02-30', '2026-13-01', { from: ['Invalid date'], to: ['Invalid date'] }],
  ['2026-1-1', '2026-02-01T00:00:00Z', { from: ['Invalid date'], to: ['Invalid date'] }],
])('a report from %s to %s has the problems %j', (from, to, problems) => {
  expect(taxReportProblems({ from, to })).toEqual(problems);
});

test('a report covers its days in UTC', () => {
  expect(toReportSpan({ from: '2026-01-01', to: '2026-01-02' })).toEqual({
    from: new Date('2026-01-01T00:00:00Z'),
    to: new Date('2026-01-02T00:00:00Z'),
  });
});
