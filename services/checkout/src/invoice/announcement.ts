import type { DomainEvent } from '@billing/kernel/transition';
import type { Invoice, InvoiceRecord, Payment } from './invoice';
import { type CreditEvent, creditEventOrder, creditsIn } from './credit/credit-announcement';

/** Initiator of a failed charge. */
export type ChargeInitiator = 'SCHEDULE' | 'CALLER' | 'PAYER' | 'NEW_METHOD';

/** Details of a failed charge. */
interface FailedPayment {
  /** Number of the payment at its invoice. */
  readonly payment: number;
  /** Number of the try of the schedule, from 1. */
  readonly attempt: number;
  readonly initiator: ChargeInitiator;
  /** Collection after the failure; TRYING_OTHER: another saved method is charged at once. */
  readonly collection: 'TRYING_OTHER' | 'WAITING' | 'ENDED';
  readonly nextAttemptAt: Date | undefined;
}

/** Event of an invoice. Payments are named by their numbers. */
export type InvoiceEvent =
  | { readonly type: 'invoice.created'; readonly data: { readonly charging: boolean } }
  | { readonly type: 'invoice.payment_received'; readonly data: { readonly payment: number } }
  | { readonly type: 'invoice.payment_failed'; readonly data: FailedPayment }
  | { readonly type: 'invoice.reminded'; readonly data: { readonly reminder: number } }
  | {
      readonly type:
        'invoice.paid' | 'invoice.voided' | 'invoice.uncollectible' | 'invoice.overdue';
      readonly data: Readonly<Record<string, never>>;
    };

// Events of one write stand in this order.
const order: readonly (InvoiceEvent | CreditEvent)['type'][] = [
  'invoice.created',
  'invoice.payment_received',
  'invoice.payment_failed',
  'invoice.paid',
  'invoice.voided',
  'invoice.uncollectible',
  'invoice.overdue',
  'invoice.reminded',
  ...creditEventOrder,
];

export const overdue: InvoiceEvent = { type: 'invoice.overdue', data: {} };

/** Reminder of an unpaid invoice at a date without a charge, numbered from 1. */
export function reminded(reminder: number): InvoiceEvent {
  return { type: 'invoice.reminded', data: { reminder } };
}

/**
 * Completes the events of a write: numbering, recorded payments, the status, credit notes, refunds
 * and disputes follow from the change, independent of what decided it. A tombstone announces
 * nothing.
 */
export function announceInvoice(
  decided: readonly DomainEvent[],
  {
    before,
    after: { state },
  }: {
    readonly before: { readonly state: InvoiceRecord } | undefined;
    readonly after: { readonly state: InvoiceRecord };
  },
): readonly DomainEvent[] {
  if (state.isTombstone) return decided;
  const former = before?.state.isTombstone === false ? before.state : undefined;
  const implied = [
    ...creationOf(former, state),
    ...receivedIn(former?.payments ?? [], state.payments),
    ...statusOf(former, state),
    ...creditsIn(former, state),
  ];
  return [...decided, ...implied].toSorted((a, b) => placeOf(a) - placeOf(b));
}

function placeOf({ type }: DomainEvent): number {
  const place = order.indexOf(type as (typeof order)[number]);
  return place < 0 ? order.length : place;
}

// An invoice has its number from the write by which it leaves DRAFT.
function creationOf(before: Invoice | undefined, after: Invoice): InvoiceEvent[] {
  const wasDraft = before === undefined || before.status === 'DRAFT';
  if (!wasDraft || after.status === 'DRAFT') return [];
  return [{ type: 'invoice.created', data: { charging: after.attempt !== undefined } }];
}

function receivedIn(before: readonly Payment[], after: readonly Payment[]): InvoiceEvent[] {
  if (before === after) return [];
  const known = new Set(before.map(({ number }) => number));
  return after
    .filter(({ number, status, recorded }) => {
      return recorded !== undefined && status === 'SUCCEEDED' && !known.has(number);
    })
    .map(({ number: payment }) => ({ type: 'invoice.payment_received', data: { payment } }));
}

function statusOf(before: Invoice | undefined, { status }: Invoice): InvoiceEvent[] {
  if (before?.status === status) return [];
  switch (status) {
    case 'PAID':
      return [{ type: 'invoice.paid', data: {} }];
    case 'VOID':
      return [{ type: 'invoice.voided', data: {} }];
    case 'UNCOLLECTIBLE':
      return [{ type: 'invoice.uncollectible', data: {} }];
    case 'DRAFT':
    case 'OPEN':
      return [];
  }
}
