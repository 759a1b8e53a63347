import { announcedEvents, exampleEvent } from '@billing/chassis/testing/announced-events';
import type { Transition } from '@billing/kernel/transition';
import {
  issueCreditNote,
  type NewCreditNote,
  numberCreditNote,
} from '../credit-note/issue-credit-note';
import { announceInvoice } from '../invoice/announcement';
import type { Refund } from '../invoice/credit/credit';
import { type Invoice, type InvoiceRecord, pay, type Payment } from '../invoice/invoice';
import type { ProviderDispute } from '../provider/port/refund';
import { recordDispute } from '../refund/dispute';
import { recordListed, recordRefund, settleRefund } from '../refund/refund';
import { anOpened, asInvoice } from '../testing/invoice';
import { announcedInvoices } from './invoice-event-message';

const pages = {
  urlOf: ({ kind }: { kind: string }) => `https://pay.example/${kind.toLowerCase()}`,
};
const onDay = (day: number) => new Date(Date.UTC(2026, 0, day));
const noteId = '0197a000-0000-7000-8000-000000000031';
const refundId = '0197a000-0000-7000-8000-000000000041';
const payment: Payment = {
  ...{ id: '0197a000-0000-7000-8000-000000000021', number: 1, amount: 2900n },
  ...{ provider: 'sandbox', providerPaymentId: 'ch_1', status: 'SUCCEEDED' },
  ...{ failureCode: undefined, decline: undefined, methodId: undefined, origin: 'COLLECTION' },
  ...{ retry: 0, callId: undefined, recorded: undefined, overpayment: 0n },
  ...{ createdAt: onDay(1), endedAt: onDay(1) },
};
const paid: Invoice = pay({ ...anOpened(), payments: [payment] }, onDay(1));

const note: NewCreditNote = {
  ...{ id: noteId, reason: 'SERVICE', memo: 'Outage of 3 January', metadata: {} },
  ...{ amounts: { kind: 'AMOUNT', amount: 1000n }, settle: 'REFUND' },
};
const issuing = issueCreditNote(paid, note, {
  methods: { methodId: undefined },
  ...{ now: onDay(3), realNow: onDay(3), refundIdOf: () => refundId },
});
const issued = asInvoice(issuing.state);
const numbering = numberCreditNote(issued, { creditNoteId: noteId, number: 'CN-000001' });
const numbered = asInvoice(numbering.state);

const failure = { status: 'FAILED', failureCode: 'refund_declined' } as const;
function ended(invoice: Invoice, status: 'SUCCEEDED' | 'FAILED') {
  const outcome =
    status === 'SUCCEEDED'
      ? ({ status, providerRefundId: 're_1' } as const)
      : { ...failure, providerRefundId: 're_1' };
  return recordRefund(invoice, { id: refundId, attempt: 1, outcome, now: onDay(4) });
}
const failed = asInvoice(ended(numbered, 'FAILED').state);
function settled(to: 'PROVIDER' | 'BALANCE') {
  const times = { now: onDay(5), realNow: onDay(5) };
  return settleRefund(failed, { refundId, to, reference: 'RE-17', callId: 'call', ...times });
}

const found: ProviderDispute = {
  ...{ providerDisputeId: 'dp_1', providerPaymentId: 'ch_1', amount: 2900n },
  ...{ reason: 'fraudulent', status: 'OPEN', evidenceDueBy: onDay(31) },
};
function disputed(invoice: Invoice, status: ProviderDispute['status'], now: Date) {
  const id = '0197a000-0000-7000-8000-000000000051';
  return recordDispute(invoice, { id, payment, found: { ...found, status }, now });
}
const opening = disputed(paid, 'OPEN', onDay(10));

/** The events of a write that begins at a number of its invoice. */
function example(
  before: Invoice,
  transition: Pick<Transition<InvoiceRecord>, 'state' | 'events'>,
  [day, sequence]: readonly [day: number, sequence: number],
) {
  const write = { service: 'checkout', before, transition, at: onDay(day), sequence };
  return announcedEvents(announcedInvoices(pages), write);
}

test.each([
  ['credit-note-created', example(issued, numbering, [3, 3])],
  ['refund-succeeded', example(numbered, ended(numbered, 'SUCCEEDED'), [4, 4])],
  ['refund-failed', example(numbered, ended(numbered, 'FAILED'), [4, 4])],
  ['refund-updated', example(failed, settled('BALANCE'), [5, 5])],
  ['dispute-opened', example(paid, opening, [10, 3])],
  [
    'dispute-closed',
    example(
      asInvoice(opening.state),
      disputed(asInvoice(opening.state), 'LOST', onDay(31)),
      [31, 4],
    ),
  ],
])('the event of %s.json is announced as the file has it', (name, events) => {
  expect(events).toEqual([exampleEvent(name)]);
});

/** Types of the events of one write, as the store announces them. */
function typesOf(before: Invoice, { state, events }: Transition<InvoiceRecord>): string[] {
  const announced = announceInvoice(events, { before: { state: before }, after: { state } });
  return announced.map(({ type }) => type);
}

describe('a write announces', () => {
  const made = {
    ...{ key: undefined, providerRefundId: 're_2', amount: 500n },
    outcome: { status: 'SUCCEEDED', providerRefundId: 're_2' },
  } as const;
  const listed = recordListed(paid, {
    ...{ payment, found: [made], idOf: () => refundId, now: onDay(6) },
  });
  const succeeded = asInvoice(ended(numbered, 'SUCCEEDED').state);

  test.each([
    ['nothing of a note without a number', paid, issuing, []],
    ['a refund that was made at the provider', paid, listed, ['refund.succeeded']],
    ['a refund that a bank returns', succeeded, ended(succeeded, 'FAILED'), ['refund.failed']],
    ['a refund that is tried again', failed, settled('PROVIDER'), ['refund.updated']],
    [
      'a dispute that is found when it is over',
      paid,
      disputed(paid, 'WON', onDay(20)),
      ['dispute.opened', 'dispute.closed'],
    ],
    [
      'nothing of a dispute whose date changes',
      asInvoice(opening.state),
      recordDispute(asInvoice(opening.state), {
        ...{ id: '0197a000-0000-7000-8000-000000000051', payment, now: onDay(11) },
        found: { ...found, evidenceDueBy: onDay(30) },
      }),
      [],
    ],
  ] as const)('%s', (_name, before, transition, types) => {
    expect(typesOf(before, transition)).toEqual(types);
  });

  test('a failed refund that succeeds in its second try, with both changes', () => {
    const again = settled('PROVIDER');
    const events = announceInvoice(again.events, {
      before: { state: failed },
      after: { state: again.state },
    });
    const before: Partial<Refund> = { status: 'FAILED', attempt: 1 };
    expect(events).toMatchObject([{ type: 'refund.updated', data: { refundId, before } }]);
    const outcome = { status: 'SUCCEEDED', providerRefundId: 're_3' } as const;
    const retried = asInvoice(again.state);
    const second = recordRefund(retried, { id: refundId, attempt: 2, outcome, now: onDay(6) });
    expect(typesOf(retried, second)).toEqual(['refund.succeeded']);
  });
});
