import { chosenRevenue, movementsOf, netOf, type Revenue } from './revenue';

const month = {
  month: '2026-10',
  new: 5_000,
  expansion: 700,
  reactivation: 100,
  contraction: 200,
  churned: 2_900,
  mrr: 40_000,
  started: 2,
  ended: 1,
};

test('the net change of a month is gains minus losses, exactly', () => {
  expect(netOf(month)).toBe(2_700n);
  expect(netOf({ ...month, new: '90071992547409931' })).toBe(90071992547407631n);
});

test('gains are positive, losses are negative, and zero is never negative zero', () => {
  const quiet = { ...month, contraction: 0, churned: 0 };
  expect(movementsOf([month, quiet])).toEqual([
    { label: 'New', values: [5_000, 5_000] },
    { label: 'Expansion, reactivation', values: [800, 800] },
    { label: 'Churned', values: [-2_900, 0] },
    { label: 'Contraction', values: [-200, 0] },
  ]);
});

test('the requested currency is shown, otherwise the one with the most revenue', () => {
  const jpy: Revenue = { currency: 'JPY', months: [{ ...month, mrr: 0 }] };
  const usd: Revenue = { currency: 'USD', months: [month] };
  const all = [jpy, usd];
  expect(chosenRevenue(all, 'JPY')).toBe(jpy);
  expect(chosenRevenue(all, 'EUR')).toBe(usd);
  expect(chosenRevenue([], '')).toBeUndefined();
});
