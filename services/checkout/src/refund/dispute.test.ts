import type { CallContext } from '@billing/chassis/call-context';
import type { Invoice, InvoiceRecord } from '../invoice/invoice';
import { creditsIn } from '../invoice/credit/credit-announcement';
import type { ProviderDispute } from '../provider/port/refund';
import { card, now, paid } from '../testing/credit-note';
import { asInvoice } from '../testing/invoice';
import { recordDispute } from './dispute';
import { type RefundDependencies, RefundWorker } from './refund-worker';

const later = (days: number) => new Date(now.getTime() + days * 24 * 3_600_000);
const reading = (status: ProviderDispute['status']): ProviderDispute => ({
  ...{ providerDisputeId: 'dp', providerPaymentId: 'ch1', amount: 3451n, reason: 'fraudulent' },
  ...{ status, evidenceDueBy: later(30) },
});

/** The invoice after the readings, one a day, and the events of disputes. */
function after(...statuses: ProviderDispute['status'][]) {
  let invoice: Invoice = paid;
  const events: string[] = [];
  statuses.forEach((status, day) => {
    const dispute = { id: 'd', payment: card, found: reading(status), now: later(day) };
    const next = asInvoice(recordDispute(invoice, dispute).state);
    events.push(...creditsIn(invoice, next).map(({ type }) => type));
    invoice = next;
  });
  return { disputes: invoice.disputes, events };
}

test.each(['LOST', 'WON'] as const)(
  'a dispute that is %s is not opened by an older reading',
  (end) => {
    const { disputes, events } = after('OPEN', end, 'OPEN');
    expect(disputes).toMatchObject([{ status: end, openedAt: now, closedAt: later(1) }]);
    expect(events).toEqual(['dispute.opened', 'dispute.closed']);
  },
);

test('a dispute whose bank decides again keeps its latest decision', () => {
  const { disputes, events } = after('OPEN', 'LOST', 'WON');
  expect(disputes).toMatchObject([{ status: 'WON', closedAt: later(1) }]);
  expect(events).toEqual(['dispute.opened', 'dispute.closed', 'dispute.closed']);
});

test('a reading that is recorded after a later one changes nothing', async () => {
  let state: InvoiceRecord = paid;
  let answer: (found: ProviderDispute) => void = () => undefined;
  const readings = [
    new Promise<ProviderDispute>((resolve) => {
      answer = resolve;
    }),
    Promise.resolve(reading('LOST')),
  ];
  const worker = new RefundWorker({
    invoices: {
      within: () => ({
        get: () => Promise.resolve({ state }),
        mutate: (_id: string, decide: (record: InvoiceRecord, at: Date) => { state: Invoice }) => {
          state = decide(state, now).state;
          return Promise.resolve({ state });
        },
      }),
    },
    rows: { copy: () => Promise.resolve() },
    providerOf: () => ({ name: 'sandbox', findDispute: () => readings.shift() }),
    onUnknownDispute: () => undefined,
  } as unknown as RefundDependencies);
  const context = { tenant: { environmentId: paid.id }, now } as unknown as CallContext;
  const check = () => worker.checkDispute(paid.id, 'dp', context);
  const first = check();
  await check();
  answer(reading('OPEN'));
  await first;
  expect(asInvoice(state).disputes).toMatchObject([{ status: 'LOST', closedAt: now }]);
});
