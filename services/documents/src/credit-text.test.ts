import { CreditNote } from '@billing/proto/billing/checkout/v1/credit_note';
import { creditRows } from './credit-text';
import { english } from './testing/english';

test('the rows of a credit note name each part that is not 0, and add up to its total', () => {
  const note = CreditNote.fromPartial({ total: 3_451n, reduced: 1_451n, toBalance: 2_000n });
  expect(english(creditRows(note))).toEqual([
    ['Taken off the amount due', 1_451n],
    ['Added to your balance', 2_000n],
  ]);
  const parts = { reduced: 1n, toBalance: 2n, refunded: 3n, external: 4n, unsettled: 5n };
  const rows = creditRows(CreditNote.fromPartial(parts));
  expect(rows.reduce((sum, [, amount]) => sum + amount, 0n)).toBe(15n);
  expect(rows).toHaveLength(5);
});
