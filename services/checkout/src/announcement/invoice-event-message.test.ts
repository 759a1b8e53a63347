import { announcedEvents, exampleEvent } from '@billing/chassis/testing/announced-events';
import type { Transition } from '@billing/kernel/transition';
import {
  collectWhenDue,
  endCollection,
  markUncollectible,
  openAndCollect,
  payNow,
  recordResult,
  voidForCaller,
} from '../invoice/collection';
import { type Invoice, type InvoiceRecord, tombstone, voidInvoice } from '../invoice/invoice';
import { recordExternal } from '../invoice/recorded-payment';
import { type DeclineCode, declined } from '../provider/port/decline';
import { aClaim, aDraft, anOpened, asInvoice, savedMethod } from '../testing/invoice';
import { announceInvoice } from '../invoice/announcement';
import { announcedInvoices } from './invoice-event-message';

const pages = {
  urlOf: ({ kind }: { kind: string }) => `https://pay.example/${kind.toLowerCase()}`,
};
const createdAt = new Date('2026-01-01T00:00:00.000Z');
const methodId = '0197a000-0000-7000-8000-00000000000a';
const methods = { methodId };
const number = 'INV-000001';

/** Events of one write, as the store announces them. */
function eventsOf(
  before: InvoiceRecord | undefined,
  { state, events }: Pick<Transition<InvoiceRecord>, 'state' | 'events'>,
) {
  const former = before && { state: before };
  return announceInvoice(events, { before: former, after: { state } });
}

function typesOf(...change: Parameters<typeof eventsOf>): string[] {
  return eventsOf(...change).map(({ type }) => type);
}

function finished(invoice: InvoiceRecord, failureCode: DeclineCode | undefined, at: Date) {
  const providerPaymentId = 'ch_1';
  return recordResult(invoice, {
    attemptNumber: asInvoice(invoice).attempt?.number ?? 0,
    outcome:
      failureCode === undefined
        ? { status: 'SUCCEEDED', providerPaymentId }
        : declined(failureCode, providerPaymentId),
    paymentId: '0197a000-0000-7000-8000-000000000021',
    claimedAt: at,
    methods,
    provider: 'sandbox',
    card: { brand: 'visa', last4: '4242' },
    retryDays: [3, 7, 14],
    now: at,
  });
}

const charged = anOpened({}, savedMethod);
const sent = anOpened({ collectionMethod: 'SEND_INVOICE', billingReason: 'MANUAL' });
const dueDate = sent.dueDate ?? createdAt;
const transfer = {
  callId: 'call',
  amount: 900n,
  details: {
    method: 'BANK_TRANSFER',
    reference: 'RE-17',
    receivedAt: createdAt,
    metadata: {},
  },
  methods,
  now: new Date('2026-01-05T00:00:00.000Z'),
  paymentIdOf: () => '0197a000-0000-7000-8000-000000000022',
} as const;

/** The events of a write that begins at a number of its invoice. */
function example(
  before: InvoiceRecord,
  transition: Pick<Transition<InvoiceRecord>, 'state' | 'events'>,
  at: Date,
) {
  const sequence = before.status === 'DRAFT' ? 1 : 2;
  const write = { service: 'checkout', before, transition, at, sequence };
  return announcedEvents(announcedInvoices(pages), write);
}

const opening = {
  ...aClaim({ source: savedMethod, now: createdAt, claimedAt: createdAt }),
  number,
};
const overdue = asInvoice(collectWhenDue(sent, aClaim({ now: dueDate })).state);
const remindedAt = overdue.collectAt ?? dueDate;
const onDay = (day: number) => new Date(Date.UTC(2026, 0, day));

test.each([
  ['created', example(aDraft(), openAndCollect(aDraft(), opening), createdAt)],
  ['paid', example(charged, finished(charged, undefined, onDay(1)), onDay(1))],
  ['payment-failed', example(charged, finished(charged, 'card_declined', onDay(1)), onDay(1))],
  ['payment-received', example(sent, recordExternal(sent, transfer), transfer.now)],
  ['voided', example(sent, voidForCaller(sent, onDay(9)), onDay(9))],
  ['uncollectible', example(sent, markUncollectible(sent, { methods, now: onDay(9) }), onDay(9))],
  ['overdue', example(sent, collectWhenDue(sent, aClaim({ now: dueDate })), dueDate)],
  ['reminded', example(overdue, collectWhenDue(overdue, aClaim({ now: remindedAt })), remindedAt)],
])('the event of invoice-%s.json is announced as the file has it', (name, events) => {
  expect(events).toEqual([exampleEvent(`invoice-${name}`)]);
});

describe('a write announces', () => {
  const draft = aDraft();
  const free = aDraft({ lineItems: [{ ...charged.lineItems[0]!, amount: 0n }] });
  const full = { ...transfer, amount: undefined };
  const late = new Date(dueDate.getTime() + 1);

  test.each([
    ['a draft', undefined, { state: draft, events: [] }, []],
    ['an opening', draft, openAndCollect(draft, opening), ['invoice.created']],
    ['a session that opens', undefined, { state: sent, events: [] }, ['invoice.created']],
    [
      'an opening with nothing due',
      free,
      openAndCollect(free, opening),
      ['invoice.created', 'invoice.paid'],
    ],
    [
      'a draft that is voided',
      draft,
      voidInvoice(draft, { number, now: createdAt }),
      ['invoice.created', 'invoice.voided'],
    ],
    [
      'a payment of all that is outstanding',
      sent,
      recordExternal(sent, full),
      ['invoice.payment_received', 'invoice.paid'],
    ],
    [
      'a payment after the due date',
      sent,
      recordExternal(sent, { ...full, now: late }),
      ['invoice.payment_received', 'invoice.paid', 'invoice.overdue'],
    ],
    [
      'the end of a subscription that writes its draft off',
      draft,
      endCollection(draft, { writeOff: true, retryDays: [], number, now: createdAt }),
      ['invoice.created', 'invoice.uncollectible'],
    ],
  ] as const)('of %s: %#', (_name, before, transition, types) => {
    expect(typesOf(before, transition)).toEqual(types);
  });

  test('nothing of a tombstone, and nothing twice', () => {
    const { id, customerId, currency } = charged;
    const placed = tombstone({ id, customerId, currency, subscriptionId: undefined });
    expect(typesOf(undefined, placed)).toEqual([]);
    const paid = finished(charged, undefined, onDay(1));
    expect(typesOf(paid.state, { state: paid.state, events: [] })).toEqual([]);
  });

  test('no failure that is not the customer’s', () => {
    expect(typesOf(charged, finished(charged, 'amount_not_supported', onDay(1)))).toEqual([]);
    const canceled = recordResult(charged, {
      attemptNumber: 1,
      outcome: declined('card_declined', 'ch_1'),
      paymentId: 'p',
      isCanceled: true,
      ...{ claimedAt: createdAt, methods, provider: 'sandbox', retryDays: [], now: createdAt },
    });
    expect(typesOf(charged, canceled)).toEqual([]);
  });
});

describe('a failed charge', () => {
  /** The dunning of an invoice whose card is declined at each date. */
  function dunned(): object[] {
    let invoice: Invoice = charged;
    const failures: object[] = [];
    for (;;) {
      const at = invoice.attempt?.startedAt ?? createdAt;
      const transition = finished(invoice, 'card_declined', at);
      const announced = eventsOf(invoice, transition);
      failures.push(...announced.map(({ type, data }) => ({ type, ...(data as object) })));
      invoice = asInvoice(transition.state);
      const { collectAt: now } = invoice;
      if (now === undefined) return failures;
      invoice = asInvoice(
        collectWhenDue(invoice, aClaim({ source: savedMethod, now, claimedAt: now })).state,
      );
    }
  }

  test('numbers the tries of the schedule up to its end', () => {
    const failure = (attempt: number, nextAttemptAt: Date | undefined) => ({
      type: 'invoice.payment_failed',
      payment: attempt,
      attempt,
      initiator: 'SCHEDULE',
      collection: nextAttemptAt === undefined ? 'ENDED' : 'WAITING',
      nextAttemptAt,
    });
    expect(dunned()).toEqual([
      failure(1, onDay(4)),
      failure(2, onDay(8)),
      failure(3, onDay(15)),
      failure(4, undefined),
      { type: 'invoice.uncollectible' },
    ]);
  });

  test.each([
    ['of a call of the API', undefined, 'CALLER'],
    ['of a payer on a page', 'https://pay.example/return', 'PAYER'],
  ])('%s names its initiator', (_name, returnUrl, initiator) => {
    const claim = { ...aClaim({ source: savedMethod }), callId: 'call', returnUrl, methods };
    const { state } = payNow(sent, claim);
    expect(eventsOf(state, finished(state, 'card_declined', onDay(2)))).toEqual([
      expect.objectContaining({
        type: 'invoice.payment_failed',
        data: expect.objectContaining({ attempt: 1, initiator, collection: 'WAITING' }),
      }),
    ]);
  });

  /** The only charge of a change that is paid first. */
  const ofChange = asInvoice(
    openAndCollect(aDraft({ billingReason: 'SUBSCRIPTION_CHANGE', isChargedOnce: true }), opening)
      .state,
  );
  const failureOfChange = {
    type: 'invoice.payment_failed',
    data: {
      ...{ payment: 1, attempt: 1, initiator: 'CALLER', collection: 'ENDED' },
      nextAttemptAt: undefined,
    },
  };
  const voided = { type: 'invoice.voided', data: {} };

  test('of a change that is paid first is of its caller, and ends with the void', () => {
    const failed = finished(ofChange, 'card_declined', createdAt);
    expect(eventsOf(ofChange, failed)).toEqual([failureOfChange, voided]);
  });

  test('of a change that is paid first may be a challenge, which has no payer', () => {
    const canceled = recordResult(ofChange, {
      attemptNumber: 1,
      outcome: declined('authentication_required', 'ch_1'),
      paymentId: 'p',
      isCanceled: true,
      ...{ claimedAt: createdAt, methods, provider: 'sandbox', retryDays: [], now: createdAt },
    });
    expect(eventsOf(ofChange, canceled)).toEqual([failureOfChange, voided]);
  });

  test('after which another saved method is charged says so, with the same number', () => {
    const declinedOnce = asInvoice(finished(charged, 'card_declined', createdAt).state);
    const other = '0197a000-0000-7000-8000-00000000000b';
    const choice = { methodId, otherMethodIds: [other] };
    const now = onDay(4);
    const claim = { ...aClaim({ source: savedMethod, now, claimedAt: now }), ...choice };
    const retried = collectWhenDue(declinedOnce, claim).state;
    const failed = recordResult(retried, {
      attemptNumber: 2,
      outcome: declined('card_declined', 'ch_2'),
      paymentId: 'p',
      ...{ claimedAt: now, methods: choice, provider: 'sandbox', retryDays: [3, 7, 14], now },
    });
    expect(eventsOf(retried, failed)).toEqual([
      expect.objectContaining({
        data: expect.objectContaining({ attempt: 2, collection: 'TRYING_OTHER' }),
      }),
    ]);
    const last = finished(failed.state, 'card_declined', now);
    expect(eventsOf(failed.state, last)).toEqual([
      expect.objectContaining({
        data: expect.objectContaining({ attempt: 2, collection: 'WAITING' }),
      }),
    ]);
  });
});
