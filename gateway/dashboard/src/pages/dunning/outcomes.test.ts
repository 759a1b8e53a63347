import { outcomes } from './outcomes';

const counts = {
  failed: 10,
  recovered: { first: 4, second: 2, third: 1, later: 0, otherwise: 1 },
  open: 1,
  uncollectible: 1,
  voided: 0,
};

test('outcomes follow the order of the funnel and add up to the failed payments', () => {
  const [failed, ...others] = outcomes(counts);
  expect(failed).toEqual({ label: 'Failed payments', value: 10 });
  expect(others.reduce((sum, { value }) => sum + value, 0)).toBe(10);
});

test('a rare outcome is shown only if it occurred', () => {
  const labels = (sent: typeof counts) => outcomes(sent).map(({ label }) => label);
  expect(labels(counts)).not.toContain('Voided');
  expect(labels({ ...counts, voided: 1 })).toContain('Voided');
});
