import fc from 'fast-check';
import type { TaxReason } from '@billing/kernel/tax/tax';
import type { TaxOfLine } from '../tax/finalization';
import { taxAddends, type TaxedDocument, type TaxReportRow, taxReportRows } from './tax-report';

const day = (number: number) => new Date(Date.UTC(2026, 0, number));
const span = { from: day(2), to: day(5) };

function tax(amount: bigint, percent = '19', reason: TaxReason = 'STANDARD'): TaxOfLine {
  const terms = { reason, name: 'VAT', country: 'DE', state: null, percent };
  return { ...terms, amount, pricedAmount: 0n, pricedDiscount: 0n };
}

const invoice: TaxedDocument = {
  ...{ currency: 'EUR', status: 'OPEN', voidedAt: undefined, finalAt: day(2), creditNotes: [] },
  lines: [
    { id: 'a', net: 100n, tax: tax(19n) },
    { id: 'b', net: 50n, tax: tax(10n) },
    { id: 'c', net: 10n, tax: tax(1n, '7') },
  ],
};

/** The report of documents, added up. */
function reportOf(documents: readonly TaxedDocument[], of = span): TaxReportRow[] {
  const totals = new Map<string, Record<string, bigint>>();
  for (const { row, counts } of documents.flatMap((one) => taxAddends(one, of))) {
    const sums = totals.get(row) ?? {};
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0n) + count;
    totals.set(row, sums);
  }
  return taxReportRows(totals);
}

const note = (issuedAt: Date) => ({
  issuedAt,
  lines: [{ lineItemId: 'a', total: 60n, taxAmount: 10n }],
});

describe('the tax report', () => {
  test.each<[string, Partial<TaxedDocument>, (readonly [bigint, bigint, bigint, bigint])[]]>([
    [
      'counts an invoice once in each row',
      {},
      [
        [150n, 29n, 1n, 0n],
        [10n, 1n, 1n, 0n],
      ],
    ],
    ['leaves out an invoice before its first day', { finalAt: day(1) }, []],
    ['leaves out an invoice on the day after its last one', { finalAt: day(5) }, []],
    ['leaves out an invoice that is not final', { finalAt: undefined }, []],
    [
      'subtracts credit notes of its days',
      { finalAt: day(1), creditNotes: [note(day(4)), note(day(5))] },
      [[-50n, -10n, 0n, 1n]],
    ],
    [
      'subtracts an earlier invoice on the day of its void',
      { finalAt: day(1), status: 'VOID', voidedAt: day(3) },
      [
        [-150n, -29n, -1n, 0n],
        [-10n, -1n, -1n, 0n],
      ],
    ],
    [
      'shows rows of an invoice that was voided on its days as 0',
      { status: 'VOID', voidedAt: day(3) },
      [
        [0n, 0n, 0n, 0n],
        [0n, 0n, 0n, 0n],
      ],
    ],
    ['leaves out an invoice that an earlier release voided', { status: 'VOID' }, []],
  ])('%s', (_name, change, expected) => {
    const rows = reportOf([{ ...invoice, ...change }]);
    expect(rows.map((row) => [row.base, row.tax, row.invoices, row.creditNotes])).toEqual(expected);
  });

  test('is sorted by currency, country, state, reason, name and percent', () => {
    const currencies = (['USD', 'EUR'] as const).map((currency) => ({ ...invoice, currency }));
    const keys = reportOf(currencies).map(({ currency, percent }) => [currency, percent]);
    expect(keys).toEqual([
      ...[
        ['EUR', '19'],
        ['EUR', '7'],
      ],
      ...[
        ['USD', '19'],
        ['USD', '7'],
      ],
    ]);
  });

  test('equals an independent recount', () => {
    const anyDay = fc.integer({ min: 1, max: 6 }).map(day);
    const line = fc.record({
      net: fc.bigInt(-1_000n, 1_000n),
      amount: fc.bigInt(-200n, 200n),
      percent: fc.constantFrom('19', '7'),
    });
    const document = fc
      .record({ finalAt: anyDay, lines: fc.array(line, { maxLength: 4 }), voided: fc.boolean() })
      .map(({ finalAt, lines, voided }): TaxedDocument => ({
        ...invoice,
        finalAt,
        status: voided ? 'VOID' : 'PAID',
        voidedAt: voided ? new Date(finalAt.getTime() + 86_400_000) : undefined,
        lines: lines.map(({ net, amount, percent }, index) => ({
          ...{ id: String(index), net, tax: tax(amount, percent) },
        })),
        creditNotes: lines.slice(0, 1).map(({ net, amount }) => ({
          issuedAt: day(4),
          lines: [{ lineItemId: '0', total: net + amount, taxAmount: amount }],
        })),
      }));
    fc.assert(
      fc.property(fc.array(document, { maxLength: 8 }), (documents) => {
        for (const percent of ['19', '7']) {
          let [base, taxed] = [0n, 0n];
          for (const { finalAt, voidedAt, lines, creditNotes } of documents) {
            const isIn = (at: Date | undefined) =>
              at !== undefined && at >= span.from && at < span.to;
            const times = (isIn(finalAt) ? 1n : 0n) - (isIn(voidedAt) ? 1n : 0n);
            const credited = creditNotes.length > 0 && isIn(day(4));
            for (const [index, one] of lines.entries()) {
              if (one.tax.percent !== percent) continue;
              const sign = times - (credited && index === 0 ? 1n : 0n);
              base += sign * one.net;
              taxed += sign * one.tax.amount;
            }
          }
          const row = reportOf(documents).find((one) => one.percent === percent);
          expect([row?.base ?? 0n, row?.tax ?? 0n]).toEqual([base, taxed]);
        }
      }),
    );
  });

  test('of adjacent spans adds up to the report of both', () => {
    const documents = [invoice, { ...invoice, finalAt: day(3), creditNotes: [note(day(4))] }];
    const sum = (rows: readonly TaxReportRow[]) => rows.reduce((all, row) => all + row.tax, 0n);
    const parts = [
      { from: day(2), to: day(3) },
      { from: day(3), to: day(5) },
    ].map((part) => sum(reportOf(documents, part)));
    expect(parts.reduce((all, part) => all + part, 0n)).toBe(sum(reportOf(documents)));
  });
});
