import { oneOffAmount, oneOffProblems } from './one-off-invoice';

const line = { description: 'Setup', amount: 100n };

test.each([
  [{ amount: -150n }, -150n],
  [{ amount: 7n, quantity: '3' }, 7n],
  [{ amount: undefined, unitAmount: '0.5' }, 1n],
  [{ amount: undefined, unitAmount: '33.3', quantity: '1.5' }, 50n],
])('the amount of %j is %s', (fields, amount) => {
  expect(oneOffAmount({ ...line, ...fields })).toBe(amount);
});

test.each<[fields: Parameters<typeof oneOffProblems>[0], problems: Record<string, string[]>]>([
  [{ lines: [line] }, {}],
  [{ lines: [line, { ...line, amount: -100n }] }, {}],
  [{ lines: [] }, { lines: ['Required'] }],
  [
    { lines: Array.from({ length: 101 }, () => line) },
    { lines: ['Must have at most 100 elements'] },
  ],
  [{ lines: [line, { ...line, amount: -101n }] }, { lines: ['Total must not be negative'] }],
  [
    { lines: [line, { ...line, amount: 99_999_999_999n }] },
    { lines: ['Total must be at most 99999999999'] },
  ],
  [
    { lines: [{ ...line, unitAmount: '1' }, { description: 'x' }] },
    { lines: ['0.amount: Either amount or unitAmount', '1.amount: Either amount or unitAmount'] },
  ],
  [{ lines: [{ ...line, description: '' }] }, { lines: ['0.description: Required'] }],
  [{ lines: [{ ...line, quantity: '0' }] }, { lines: ['0.quantity: Must be above 0'] }],
  [{ lines: [{ ...line, quantity: 'x' }] }, { lines: ['0.quantity: Invalid decimal'] }],
  [
    { lines: [{ description: 'x', unitAmount: '99999999999', quantity: '2' }] },
    { lines: ['0.unitAmount: Must be at most 99999999999'] },
  ],
  [{ netDays: 366 }, { netDays: ['Must be a whole number from 0 to 365'] }],
  [{ memo: 'x'.repeat(501) }, { memo: ['Must be at most 500 characters'] }],
  [{ purchaseOrder: 'x'.repeat(51) }, { purchaseOrder: ['Must be at most 50 characters'] }],
])('%#: the problems of a one-off invoice', (fields, problems) => {
  const found = Object.entries(oneOffProblems(fields)).filter(([, each]) => each.length > 0);
  expect(Object.fromEntries(found)).toEqual(problems);
});
