import type { Currency } from '@billing/kernel/currency';
import { DomainError } from '@billing/kernel/domain-error';
import { AMOUNT_MAX } from '@billing/kernel/money';
import { only, type Transition } from '@billing/kernel/transition';
import { balanceTooLow } from '../invoice/recorded-payment';

/** Origin of an entry. */
type BalanceEntryKind =
  | 'ADJUSTMENT'
  | 'OVERPAYMENT'
  | 'CREDIT_NOTE'
  | 'REFUND_REPLACED'
  | 'APPLIED'
  | 'PAYMENT'
  | 'RETURNED';

/** One posting to a balance. It never changes. */
export interface BalanceEntry {
  readonly id: string;
  readonly customerId: string;
  readonly currency: Currency;
  /** Above 0: more is owed to the customer. 0 in a tombstone, which prevents a later posting. */
  readonly amount: bigint;
  /** Σ of the entries up to this one. */
  readonly balanceAfter: bigint;
  /** Counts 1, 2, 3 … per balance; 0 in a tombstone, which is not shown. */
  readonly sequence: number;
  readonly kind: BalanceEntryKind;
  readonly invoiceId: string | undefined;
  readonly creditNoteId: string | undefined;
  readonly refundId: string | undefined;
  readonly description: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Environment time. */
  readonly createdAt: Date;
}

/** Money that the seller owes a customer in one currency. */
export interface Balance {
  readonly id: string;
  readonly customerId: string;
  readonly currency: Currency;
  /** Never below 0. */
  readonly balance: bigint;
  /** Number of shown entries. */
  readonly sequence: number;
  /** Environment time of the last shown entry; undefined before the first. */
  readonly movedAt: Date | undefined;
  /** Entries that may not have been copied to their own documents yet. */
  readonly pendingEntries: readonly BalanceEntry[];
  /** Real time of the last posting. */
  readonly postedAt: Date;
}

/** Entry before its amount is decided. */
export type Posting = Pick<BalanceEntry, 'id' | 'kind'> &
  Partial<
    Pick<BalanceEntry, 'invoiceId' | 'creditNoteId' | 'refundId' | 'description' | 'metadata'>
  >;

/** Amount of a posting, by the balance before it. Throws if the balance refuses the posting. */
export type AmountOf = (balance: bigint) => bigint;

// A posting copies its own entry right after its write, so more wait only while the database
// refuses the copies.
export const pendingEntriesMax = 100;

/** A balance without entries. It is stored together with its first posting. */
export function emptyBalance(
  fields: Pick<Balance, 'id' | 'customerId' | 'currency'>,
  postedAt: Date,
): Balance {
  return {
    ...fields,
    balance: 0n,
    sequence: 0,
    movedAt: undefined,
    pendingEntries: [],
    postedAt,
  };
}

/**
 * Changes the balance and appends the entry. The caller has made sure that no entry has its id. An
 * amount of 0 appends a tombstone.
 */
export function post(
  balance: Balance,
  posting: Posting,
  {
    amountOf,
    now,
    realNow,
  }: { readonly amountOf: AmountOf; readonly now: Date; readonly realNow: Date },
): Transition<Balance> {
  const amount = amountOf(balance.balance);
  const balanceAfter = balance.balance + amount;
  if (balanceAfter < 0n) throw new Error(`Balance ${balance.id} would be below 0`);
  if (balance.pendingEntries.length >= pendingEntriesMax) {
    throw new Error(`Balance ${balance.id} has too many pending entries`);
  }
  const { customerId, currency } = balance;
  const isTombstone = amount === 0n;
  const entry: BalanceEntry = {
    ...{ invoiceId: undefined, creditNoteId: undefined, refundId: undefined },
    ...{ description: undefined, metadata: {} },
    ...posting,
    ...{ customerId, currency, amount, balanceAfter },
    sequence: isTombstone ? 0 : balance.sequence + 1,
    createdAt: now,
  };
  return only({
    ...balance,
    balance: balanceAfter,
    sequence: isTombstone ? balance.sequence : entry.sequence,
    movedAt: isTombstone ? balance.movedAt : now,
    pendingEntries: [...balance.pendingEntries, entry],
    postedAt: realNow,
  });
}

/** Forgets pending entries that have documents of their own. */
export function withoutCopied(balance: Balance, copied: readonly BalanceEntry[]): Balance {
  const ids = new Set(copied.map(({ id }) => id));
  const pendingEntries = balance.pendingEntries.filter(({ id }) => !ids.has(id));
  return pendingEntries.length === balance.pendingEntries.length
    ? balance
    : { ...balance, pendingEntries };
}

/** Amount of a manual entry. The balance stays from 0 to the largest amount. */
export function adjustmentOf(amount: bigint): AmountOf {
  return (balance) => {
    if (balance + amount < 0n) throw balanceTooLow();
    if (balance + amount > AMOUNT_MAX) throw balanceTooHigh();
    return amount;
  };
}

/** Amount that an invoice takes when it is opened: as much of its total as the balance holds. */
export function consumptionOf(total: bigint): AmountOf {
  return (balance) => (balance < total ? -balance : -total);
}

/** Amount of a payment; 0 if the balance does not hold it. */
export function paymentOf(amount: bigint): AmountOf {
  return (balance) => (balance < amount ? 0n : -amount);
}

/** Amount that a plan change reserves: exactly what it has shown. */
export function reservationOf(shown: bigint): AmountOf {
  return (balance) => {
    if (balance < shown) throw balanceMoved();
    return -shown;
  };
}

function balanceTooHigh(): DomainError {
  return new DomainError('failed_precondition', 'BALANCE_TOO_HIGH', 'Balance is too high');
}

function balanceMoved(): DomainError {
  return new DomainError('failed_precondition', 'BALANCE_MOVED', 'Balance has moved');
}
