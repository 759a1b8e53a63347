import { FormValues } from '../../parts/form/form-values';
import type { Invoice } from '../../resources/invoice/invoice';
import { changedDraft, lineField, lineRows, typedLines, typedTerms } from './invoice-values';

function valuesOf(rows: readonly (readonly [string, string, string])[]): FormValues {
  const form = new FormData();
  rows.forEach(([description, quantity, unitAmount], index) => {
    form.set(lineField(index, 'description'), description);
    form.set(lineField(index, 'quantity'), quantity);
    form.set(lineField(index, 'unitAmount'), unitAmount);
  });
  return new FormValues(form);
}

test.each([
  ['a price', ['Work', '2', '120.00'], { quantity: '2', unitAmount: '12000' }],
  ['a fraction of a cent', ['Calls', '1000', '0.005'], { quantity: '1000', unitAmount: '0.5' }],
  ['no quantity', ['Work', '', '1'], { quantity: '1', unitAmount: '100' }],
  ['a price below 0', ['Rebate', '1', '-1.50'], { quantity: '1', amount: -150 }],
  ['a price below 0 times 2', ['Rebate', '2', '-1.50'], { quantity: '2', unitAmount: '-1.50' }],
  ['text', ['Work', '1', 'x'], { quantity: '1', unitAmount: 'x' }],
] as const)('a line with %s is read', (_kind, row, expected) => {
  const lines = typedLines(valuesOf([row]), { currency: 'USD' });
  expect(lines).toEqual([{ description: row[0], ...expected }]);
});

describe('the lines of a draft', () => {
  const kept = {
    ...{ periodStart: '2026-01-31T00:00:00.000Z', periodEnd: null },
    metadata: { k: 1 },
  };
  const work = { description: 'Work', quantity: '2', unitAmount: '12000', taxCategory: 'ebook' };
  const rebate = { description: 'Rebate', quantity: '3', unitAmount: null };
  const lineItems = [
    { id: 'a', ...work, pricedAmount: 24_000, ...kept },
    { id: 'b', ...rebate, pricedAmount: -150, taxCategory: 'standard', ...kept },
  ];
  const draft = { lineItems, currency: 'USD' } as unknown as Invoice;

  test('are shown as they were typed', () => {
    expect(lineRows(draft)).toEqual([
      { source: 'a', ...work, unitAmount: '120.00' },
      { source: 'b', ...rebate, unitAmount: '-1.50', taxCategory: '' },
    ]);
  });

  test('keep what the form does not show', () => {
    const form = new FormData();
    lineRows(draft).forEach((row, index) => {
      for (const [name, value] of Object.entries(row)) {
        form.set(lineField(index, name as keyof typeof row), value);
      }
    });
    expect(typedLines(new FormValues(form), draft)).toEqual([
      { ...work, ...kept },
      { description: 'Rebate', quantity: '3', amount: -150, ...kept },
    ]);
  });
});

test('a form of a draft sends only what was changed in it', () => {
  const lineItems = [
    {
      ...{ id: 'a', description: 'Work', quantity: '2', unitAmount: '12000' },
      ...{ pricedAmount: 24_000, taxCategory: 'standard' },
    },
  ];
  const terms = { collectionMethod: 'SEND_INVOICE', memo: 'Thanks', purchaseOrder: null };
  const draft = { lineItems, currency: 'USD', ...terms } as unknown as Invoice;
  const change = (more: object) => {
    const form = new FormData();
    const fields = { ...lineRows(draft)[0], ...more };
    for (const [name, value] of Object.entries(fields)) {
      form.set(name in terms ? name : lineField(0, name as 'source'), value);
    }
    return changedDraft(new FormValues(form), draft);
  };
  const untouched = { collectionMethod: 'SEND_INVOICE', memo: 'Thanks' };
  expect(change(untouched)).toEqual({});
  expect(change({ ...untouched, memo: '' })).toEqual({ memo: null });
  expect(change({ ...untouched, taxCategory: 'ebook' })).toEqual({
    lines: [expect.objectContaining({ description: 'Work', taxCategory: 'ebook' })],
  });
  expect(change({ ...untouched, quantity: '3' })).toEqual({
    lines: [expect.objectContaining({ description: 'Work', quantity: '3', unitAmount: '12000' })],
  });
});

test('empty terms take the defaults', () => {
  const form = new FormData();
  form.set('collectionMethod', 'SEND_INVOICE');
  form.set('netDays', '14');
  expect(typedTerms(new FormValues(form))).toEqual({
    ...{ collectionMethod: 'SEND_INVOICE', netDays: 14, memo: null, purchaseOrder: null },
  });
});
