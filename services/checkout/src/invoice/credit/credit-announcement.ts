import type { CreditNote, Credits, Dispute, Refund } from './credit';

/** Event of a credit note, refund or dispute of an invoice. */
export type CreditEvent =
  | { readonly type: 'credit_note.created'; readonly data: { readonly creditNoteId: string } }
  | {
      readonly type: 'refund.succeeded' | 'refund.failed';
      readonly data: { readonly refundId: string };
    }
  | {
      readonly type: 'refund.updated';
      readonly data: { readonly refundId: string; readonly before: Refund };
    }
  | {
      readonly type: 'dispute.opened' | 'dispute.closed';
      readonly data: { readonly disputeId: string };
    };

/** Events of credits, in the order in which those of one write stand. */
export const creditEventOrder = [
  'credit_note.created',
  'refund.succeeded',
  'refund.failed',
  'refund.updated',
  'dispute.opened',
  'dispute.closed',
] as const satisfies readonly CreditEvent['type'][];

/** Events of the credits that a write has changed. */
export function creditsIn(before: Credits | undefined, after: Credits): CreditEvent[] {
  return [
    ...changedParts(before?.creditNotes, after.creditNotes).flatMap(noteEvents),
    ...changedParts(before?.refunds, after.refunds).flatMap(refundEvents),
    ...changedParts(before?.disputes, after.disputes).flatMap(disputeEvents),
  ];
}

interface Part<T> {
  readonly former: T | undefined;
  readonly current: T;
}

function changedParts<T extends { readonly id: string }>(
  before: readonly T[] | undefined,
  after: readonly T[],
): Part<T>[] {
  if (before === after) return [];
  const known = new Map((before ?? []).map((part) => [part.id, part]));
  return after
    .map((current) => ({ former: known.get(current.id), current }))
    .filter(({ former, current }) => former !== current);
}

function noteEvents({ former, current }: Part<CreditNote>): CreditEvent[] {
  if (current.number === undefined || former?.number !== undefined) return [];
  return [{ type: 'credit_note.created', data: { creditNoteId: current.id } }];
}

// PENDING at first is part of its credit note; afterwards only a caller's settlement returns to it.
function refundEvents({ former, current }: Part<Refund>): CreditEvent[] {
  const { id: refundId, status } = current;
  if (former?.status === status) return [];
  switch (status) {
    case 'SUCCEEDED':
      return [{ type: 'refund.succeeded', data: { refundId } }];
    case 'FAILED':
      return [{ type: 'refund.failed', data: { refundId } }];
    case 'PENDING':
    case 'REPLACED':
      return former === undefined
        ? []
        : [{ type: 'refund.updated', data: { refundId, before: former } }];
  }
}

// The provider may report the end of a dispute before its beginning.
function disputeEvents({ former, current }: Part<Dispute>): CreditEvent[] {
  const data = { disputeId: current.id };
  if (former?.status === current.status) return [];
  const isNew = former === undefined || current.status === 'OPEN';
  return [
    ...(isNew ? [{ type: 'dispute.opened', data } as const] : []),
    ...(current.status === 'OPEN' ? [] : [{ type: 'dispute.closed', data } as const]),
  ];
}
