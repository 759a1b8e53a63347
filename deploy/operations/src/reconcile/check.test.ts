import { check, type CheckedFacts, type InvoiceFacts } from './check';

const subscription = {
  id: 's1',
  customerId: 'c1',
  items: [{ productId: 'p1', priceId: 'r1' }],
  latestInvoiceId: 'i1',
};
const invoice: InvoiceFacts = {
  id: 'i1',
  environmentId: 'e1',
  customerId: 'c1',
  subscriptionId: 's1',
  status: 'PAID',
  number: 'INV-000001',
  periodFrom: 1,
};
const creditNote = { id: 'n1', environmentId: 'e1', invoiceId: 'i1', number: 'CN-000001' };
const whole: CheckedFacts = {
  customers: new Set(['c1']),
  products: new Set(['p1']),
  prices: new Set(['r1']),
  subscriptions: [subscription],
  invoices: [invoice],
  creditNotes: [creditNote],
  completeSessions: [{ id: 'k1', invoiceId: 'i1', subscriptionId: 's1' }],
  lostChanges: [],
  environments: new Set(['e1', 'e2']),
  usedEnvironments: new Map([['checkout.invoices', ['e1']]]),
  pending: new Map(),
};
const second = { ...invoice, id: 'i2', number: 'INV-000002', periodFrom: 2 };
const withSecond = (changes: Partial<InvoiceFacts>) => ({
  ...whole,
  invoices: [invoice, { ...second, ...changes }],
});

describe('the check of a restored system', () => {
  test.each([
    ['a whole system', whole],
    ['two periods', withSecond({})],
    ['a period whose first invoice is void', withSecond({ periodFrom: 1, status: 'VOID' })],
    [
      'the same number in another environment',
      withSecond({ environmentId: 'e2', number: 'INV-000001' }),
    ],
    [
      'a session that sold no subscription',
      { ...whole, completeSessions: [{ id: 'k2', invoiceId: 'i1', subscriptionId: null }] },
    ],
    ['invoices without a number', { ...whole, invoices: [invoice, { ...second, number: null }] }],
    [
      'a void invoice whose subscription was never created',
      withSecond({ status: 'VOID', subscriptionId: 'lost' }),
    ],
  ])('finds nothing in %s', (_name, facts) => {
    expect(check(facts)).toEqual([]);
  });

  test.each([
    [
      'a lost customer',
      { ...whole, customers: new Set<string>() },
      [
        ['missing_reference', 'subscription s1 names customer c1, which does not exist'],
        ['missing_reference', 'invoice i1 names customer c1, which does not exist'],
      ],
    ],
    [
      'a lost price',
      { ...whole, prices: new Set<string>() },
      [['missing_reference', 'subscription s1 names price r1, which does not exist']],
    ],
    [
      'a lost product',
      { ...whole, products: new Set<string>() },
      [['missing_reference', 'subscription s1 names product p1, which does not exist']],
    ],
    [
      'a lost subscription',
      { ...whole, subscriptions: [] },
      [
        ['missing_reference', 'invoice i1 names subscription s1, which does not exist'],
        ['I7', 'checkout session k1 is complete, and subscription s1 does not exist'],
      ],
    ],
    [
      'a lost invoice',
      { ...whole, invoices: [] },
      [
        ['missing_reference', 'subscription s1 names invoice i1, which does not exist'],
        ['missing_reference', 'credit note n1 names invoice i1, which does not exist'],
        ['I7', 'checkout session k1 is complete, and invoice i1 is not paid'],
      ],
    ],
    [
      'an invoice of a lost change',
      { ...whole, lostChanges: [{ holder: 'invoice' as const, id: 'i1', subscriptionId: 's1' }] },
      [['missing_reference', 'invoice i1 names a change of subscription s1, which does not exist']],
    ],
    [
      'a complete session whose invoice is open',
      { ...whole, invoices: [{ ...invoice, status: 'OPEN' }] },
      [['I7', 'checkout session k1 is complete, and invoice i1 is not paid']],
    ],
    [
      'a lost environment',
      { ...whole, environments: new Set(['e2']) },
      [
        [
          'missing_reference',
          'checkout.invoices has documents of environment e1, which does not exist',
        ],
      ],
    ],
    [
      'a number that two invoices hold',
      withSecond({ number: 'INV-000001' }),
      [['I60', 'the invoice number INV-000001 is held by i1 and i2']],
    ],
    [
      'a number that two credit notes hold',
      { ...whole, creditNotes: [creditNote, { ...creditNote, id: 'n2' }] },
      [['I60', 'the credit note number CN-000001 is held by n1 and n2']],
    ],
    [
      'a period that two invoices bill',
      withSecond({ periodFrom: 1 }),
      [['I61', 'a period of subscription s1 is billed by i1 and i2']],
    ],
    [
      'commands that wait',
      { ...whole, pending: new Map([['checkout.invoices', 2]]) },
      [['pending', '2 documents of checkout.invoices have events or commands that wait']],
    ],
  ])('finds %s', (_name, facts, expected) => {
    expect(check(facts).map(({ invariant, text }) => [invariant, text])).toEqual(expected);
  });
});
