import { largestFirst } from './largest-first';

test('the currency with the most whole units comes first, and equal amounts keep their order', () => {
  const all = [
    { currency: 'AUD', amount: 0 },
    { currency: 'BRL', amount: 0 },
    { currency: 'JPY', amount: 20 },
    { currency: 'USD', amount: '2900' },
  ];
  const sorted = largestFirst(all, ({ amount }) => amount);
  expect(sorted.map(({ currency }) => currency)).toEqual(['USD', 'JPY', 'AUD', 'BRL']);
});
