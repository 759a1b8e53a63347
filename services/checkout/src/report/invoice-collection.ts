import type { Invoice } from '../invoice/invoice';

/** Automatic charges that an invoice is scheduled for. */
export interface InvoiceCollection {
  /** Undefined if none is scheduled. */
  readonly nextAttemptAt: Date | undefined;
  /** Number of charges after the next one. */
  readonly laterAttempts: number;
  readonly firstFailedAt: Date | undefined;
  readonly awaitsProvider: boolean;
}

/** The schedule of an invoice. The date of a sent invoice is its due date, not a charge. */
export function invoiceCollection({
  status,
  collectionMethod,
  collectAt,
  retriesLeft,
  firstFailedAt,
  awaitsProviderSince,
}: Pick<
  Invoice,
  | 'status'
  | 'collectionMethod'
  | 'collectAt'
  | 'retriesLeft'
  | 'firstFailedAt'
  | 'awaitsProviderSince'
>): InvoiceCollection {
  const isCharged = status === 'OPEN' && collectionMethod === 'CHARGE_AUTOMATICALLY';
  const nextAttemptAt = isCharged ? collectAt : undefined;
  return {
    nextAttemptAt,
    laterAttempts: nextAttemptAt === undefined ? 0 : retriesLeft.length,
    firstFailedAt,
    awaitsProvider: isCharged && awaitsProviderSince !== undefined,
  };
}
