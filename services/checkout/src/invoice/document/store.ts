import type { AggregateDefinition, Stored } from '@billing/chassis/aggregate';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import { type Currency, isCurrency } from '@billing/kernel/currency';
import type { Recurrence } from '@billing/kernel/billing-period';
import type { Command } from '@billing/kernel/transition';
import type { Attempt, CollectionOutcome } from '../attempt';
import { invoiceDueAt, invoiceRecoverAt } from './due-work';
import { declined, isDeclineCode } from '../../provider/port/decline';
import { dunningStepsReached } from './dunning-report';
import type {
  Invoice,
  InvoiceRecord,
  InvoiceSession,
  Payment,
  PaymentError,
  Tombstone,
} from '../invoice';
import type { InvoiceDiscount } from '../invoice-discount';
import type { PaidPeriod } from '../paid-period';
import { type CreditsDocument, fromCreditsDocument, toCreditsDocument } from './credit-document';
import { fromOneOffDocument, type OneOffDocument, toOneOffDocument } from './one-off-document';
import {
  fromRecordedDocument,
  type RecordedDocument,
  toCollectedDocument,
} from './recorded-document';
import type { Reservation } from '../reservation';
import {
  type FinalizationDocument,
  fromFinalizationDocument,
  toFinalizationDocument,
} from '../../tax/finalization-document';
import { fromResultDocument, type SentResultDocument } from './sent-result-document';
import { movedMonthOf } from './moved-month';
import { fromLineItemDocument, type LineItemDocument } from './line-item-document';
import type { DeclineKind } from '../../provider/port/payment-provider';
import { type Count, nullable, type Nullable } from './stored-fields';

type AttemptDocument = Omit<Nullable<Attempt>, 'number' | 'answers' | 'retry' | 'recorded'> & {
  readonly number: Count;
  readonly answers: Count;
  readonly retry: Count | null;
  readonly recorded?: RecordedDocument | null;
};

type InvoiceFields = Omit<
  Nullable<Invoice>,
  | 'id'
  | 'lineItems'
  | 'payments'
  | 'attempt'
  | 'resultsSent'
  | 'results'
  | 'session'
  | 'balanceRound'
  | 'reminderDates'
  | 'oneOff'
  | 'reservation'
  | 'finalization'
  | 'keptBuyer'
  | 'creditNotes'
  | 'refunds'
  | 'disputes'
> &
  CreditsDocument & {
    readonly finalization?: FinalizationDocument | null;
    readonly keptBuyer?: Invoice['keptBuyer'] | null;
    /** Absent in documents of earlier releases. */
    readonly reminderDates?: readonly Date[];
    readonly session: SessionDocument | null;
    readonly lineItems: readonly LineItemDocument[];
    readonly payments: readonly PaymentDocument[];
    readonly attempt: AttemptDocument | null;
    readonly resultsSent: Count;
    readonly results?: readonly SentResultDocument[] | null;
    readonly balanceRound: Count | null;
    readonly oneOff?: OneOffDocument | null;
    readonly reservation: ReservationDocument | null;
  };

type ReservationDocument = Omit<Reservation, 'round'> & { readonly round: Count };

/** Fields that were introduced later: origin, start time and retry. Older documents lack them. */
type PaymentDocument = Omit<Nullable<Payment>, AddedLater> &
  Partial<Pick<Payment, 'origin' | 'endedAt'>> & {
    readonly charged?: Payment['charged'] | null;
    readonly number?: Count;
    readonly retry?: Count | null;
    readonly recorded?: RecordedDocument | null;
    readonly overpayment?: bigint;
  };
type AddedLater =
  'origin' | 'endedAt' | 'number' | 'retry' | 'charged' | 'recorded' | 'overpayment';

type SessionDocument = Nullable<Omit<InvoiceSession, 'paidPeriod'>> & {
  readonly paidPeriod: PaidPeriodDocument;
};

type PaidPeriodDocument =
  | {
      readonly kind: 'INTERVAL';
      readonly recurrence: Omit<Recurrence, 'intervalCount'> & { readonly intervalCount: Count };
    }
  | { readonly kind: 'TRIAL'; readonly days: Count }
  | { readonly kind: 'NONE' };

type RecordDocument = { readonly _id: string } & (InvoiceFields | Omit<Nullable<Tombstone>, 'id'>);

/** A collection result in the outbox, with the invoice as the attempt left it. */
export interface CollectionResultPayload {
  readonly resultNumber: Count;
  readonly outcome: CollectionOutcome;
  readonly attempt: Count;
  readonly nextAttemptAt: Date | null;
  readonly version: Count;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly invoice: RecordDocument;
}

/** Effect of an attempt for the subscription. */
export interface CollectionResult {
  readonly resultNumber: number;
  readonly outcome: CollectionOutcome;
  readonly attempt: number;
  readonly nextAttemptAt: Date | undefined;
  readonly invoice: Stored<InvoiceRecord>;
}

export const invoiceDefinition: AggregateDefinition<InvoiceRecord> = {
  collection: 'invoices',
  aggregate: 'invoice',
  resource: 'Invoice',
  toDocument,
  fromDocument: (document) => fromDocument(document as RecordDocument),
  // Lists omit tombstones and are sorted like the index.
  indexes: [
    { name: 'shown', keys: { isTombstone: 1, createdAt: -1, _id: -1 } },
    { name: 'subscription', keys: { isTombstone: 1, subscriptionId: 1, createdAt: -1, _id: -1 } },
    { name: 'status', keys: { isTombstone: 1, status: 1, createdAt: -1, _id: -1 } },
    { name: 'customer', keys: { isTombstone: 1, customerId: 1, createdAt: -1, _id: -1 } },
    {
      name: 'billingReason',
      keys: { isTombstone: 1, billingReason: 1, createdAt: -1, _id: -1 },
    },
    { name: 'number', keys: { number: 1 } },
    // Invoices of earlier releases have no month. It changes at most once a month.
    { name: 'moved', keys: { isTombstone: 1, movedMonth: 1 } },
  ],
  fixedFields: ['isTombstone'],
  dueAt: invoiceDueAt,
  dueClass: 'COLLECTION',
  recoverAt: invoiceRecoverAt,
  stepsReached: dunningStepsReached,
  encodeCommand,
};

/** Decodes a result that encodeCommand has encoded. */
export function readCollectionResult(
  result: CollectionResultPayload,
  { tenant }: Pick<CallContext, 'tenant'>,
): CollectionResult {
  return {
    resultNumber: Number(result.resultNumber),
    outcome: result.outcome,
    attempt: Number(result.attempt),
    nextAttemptAt: result.nextAttemptAt ?? undefined,
    invoice: snapshotOf(result, tenant),
  };
}

function snapshotOf(result: CollectionResultPayload, tenant: Tenant): Stored<InvoiceRecord> {
  return {
    state: fromDocument(result.invoice),
    tenant,
    version: Number(result.version),
    createdAt: result.createdAt,
    updatedAt: result.updatedAt,
  };
}

function encodeCommand(command: Command, stored: Stored<InvoiceRecord>): Record<string, unknown> {
  if (command.type !== 'applyCollectionResult') return command.payload;
  const { state, version, createdAt, updatedAt } = stored;
  const invoice = { _id: state.id, ...toDocument(state) };
  return { ...command.payload, invoice, version, createdAt, updatedAt };
}

// Stored as null, so that lines that were just made and lines that were read have the same fields.
const withoutTax = { taxCategory: null, tax: null };

function toDocument(record: InvoiceRecord): Record<string, unknown> {
  if (record.isTombstone) {
    const { id: _id, ...fields } = record;
    return nullable(fields);
  }
  const { id: _id, lineItems, payments, attempt, session, oneOff, ...others } = record;
  const { finalization, ...fields } = others;
  return {
    ...nullable(fields),
    finalization: toFinalizationDocument(finalization),
    movedMonth: movedMonthOf(record),
    ...toCreditsDocument(record),
    oneOff: oneOff === undefined ? null : toOneOffDocument(oneOff),
    attempt: attempt === undefined ? null : toCollectedDocument(attempt),
    session: session === undefined ? null : nullable(session),
    lineItems: lineItems.map((line) => ({
      ...withoutTax,
      ...nullable(line),
      metadata: JSON.stringify(line.metadata),
    })),
    payments: payments.map(toCollectedDocument),
  };
}

// Defaults of documents stored before discounts, sessions, challenges, retries, usage and balances.
const sinceDiscounts = { discounts: [], retriesLeft: [], session: null };
const sinceBalances = { balanceRound: null, balanceApplied: 0n, reservation: null };
const sinceOrigins = { origin: 'COLLECTION' } as const;
const sinceChallenges = { origin: 'COLLECTION', status: 'PENDING', provider: 'none', answers: 0 };
const sinceMethodChoice = { retry: null, becomesDefault: false };

function fromDocument(stored: RecordDocument): InvoiceRecord {
  const document: RecordDocument = { ...sinceDiscounts, ...sinceBalances, ...stored };
  const { _id: id, isTombstone, customerId } = document;
  const subscriptionId = document.subscriptionId ?? undefined;
  const currency = readCurrency(document.currency);
  if (isTombstone) {
    const sessionId = document.sessionId ?? undefined;
    return { id, isTombstone, subscriptionId, sessionId, customerId, currency, status: 'VOID' };
  }
  return {
    id,
    isTombstone,
    subscriptionId,
    session: fromSessionDocument(document.session),
    customerId,
    currency,
    status: document.status,
    number: document.number ?? undefined,
    collectionMethod: document.collectionMethod,
    billingReason: document.billingReason,
    periodStart: document.periodStart ?? undefined,
    periodEnd: document.periodEnd ?? undefined,
    lineItems: document.lineItems.map(fromLineItemDocument),
    discounts: document.discounts.map(fromDiscountDocument),
    authorizedTransactionId: document.authorizedTransactionId ?? undefined,
    dueDate: document.dueDate ?? undefined,
    paidAt: document.paidAt ?? undefined,
    collectAt: document.collectAt ?? undefined,
    retriesLeft: document.retriesLeft,
    reminderDates: document.reminderDates ?? [],
    firstFailedAt: document.firstFailedAt ?? undefined,
    ended: document.ended ?? undefined,
    givenUpAt: document.givenUpAt ?? undefined,
    voidedAt: document.voidedAt ?? undefined,
    awaitsProviderSince: document.awaitsProviderSince ?? undefined,
    lastPaymentError: fromPaymentError(document),
    attempt: fromAttemptDocument(document.attempt),
    payments: fromPaymentDocuments(document.payments),
    resultsSent: Number(document.resultsSent),
    ...(document.results && { results: document.results.map(fromResultDocument) }),
    balanceRound: document.balanceRound === null ? undefined : Number(document.balanceRound),
    balanceApplied: document.balanceApplied,
    oneOff: fromOneOffDocument(document.oneOff),
    reservation: fromReservationDocument(document.reservation),
    finalization: fromFinalizationDocument(document.finalization),
    ...fromCreditsDocument(document),
    ...(document.keptBuyer && { keptBuyer: document.keptBuyer }),
    ...(document.isChargedOnce === true && { isChargedOnce: true }),
    ...(typeof document.writtenOffBy === 'string' && { writtenOffBy: document.writtenOffBy }),
    ...(typeof document.voidedBy === 'string' && { voidedBy: document.voidedBy }),
  };
}

function fromAttemptDocument(stored: AttemptDocument | null): Attempt | undefined {
  if (stored === null) return undefined;
  const earlier = { ...sinceChallenges, ...sinceMethodChoice, startedAt: stored.claimedAt };
  const attempt: AttemptDocument = { ...earlier, ...stored };
  return {
    number: Number(attempt.number),
    origin: attempt.origin,
    source: attempt.source,
    methodId: attempt.methodId ?? undefined,
    provider: attempt.provider,
    status: attempt.status,
    startedAt: attempt.startedAt,
    claimedAt: attempt.claimedAt,
    callId: attempt.callId ?? undefined,
    returnUrl: attempt.returnUrl ?? undefined,
    providerPaymentId: attempt.providerPaymentId ?? undefined,
    redirectUrl: attempt.redirectUrl ?? undefined,
    answers: Number(attempt.answers),
    approved: attempt.approved ?? undefined,
    retry: attempt.retry === null ? undefined : Number(attempt.retry),
    becomesDefault: attempt.becomesDefault,
    recorded: fromRecordedDocument(attempt.recorded),
  };
}

function fromSessionDocument(session: SessionDocument | null): InvoiceSession | undefined {
  if (session === null) return undefined;
  const { sessionId, subscriptionId, paidPeriod } = session;
  return {
    sessionId,
    subscriptionId: subscriptionId ?? undefined,
    paidPeriod: fromPaidPeriodDocument(paidPeriod),
  };
}

function fromPaidPeriodDocument(period: PaidPeriodDocument): PaidPeriod {
  switch (period.kind) {
    case 'INTERVAL': {
      const { billingInterval, intervalCount } = period.recurrence;
      const recurrence = { billingInterval, intervalCount: Number(intervalCount) };
      return { kind: 'INTERVAL', recurrence };
    }
    case 'TRIAL':
      return { kind: 'TRIAL', days: Number(period.days) };
    case 'NONE':
      return { kind: 'NONE' };
  }
}

function fromReservationDocument(stored: ReservationDocument | null): Reservation | undefined {
  if (stored === null) return undefined;
  const { changeId, round, lines } = stored;
  return {
    changeId,
    round: Number(round),
    lines: lines.map(({ lineItemId, amount }) => ({ lineItemId, amount })),
  };
}

function fromDiscountDocument({ discountId, name, amount }: InvoiceDiscount): InvoiceDiscount {
  return { discountId, name, amount };
}

// Older documents take it from their last payment.
function fromPaymentError({
  lastPaymentError,
  status,
  payments,
}: Pick<InvoiceFields, 'status' | 'payments'> & Partial<InvoiceFields>): PaymentError | undefined {
  if (lastPaymentError !== undefined) return lastPaymentError ?? undefined;
  const last = status === 'PAID' ? undefined : payments.at(-1);
  if (last?.failureCode === undefined || last.failureCode === null) return undefined;
  return { code: last.failureCode, at: last.endedAt ?? last.createdAt };
}

// Before retries were numbered, each charge of the schedule was one retry.
function fromPaymentDocuments(stored: readonly PaymentDocument[]): Payment[] {
  let retries = 0;
  return stored.map((document, index) => {
    const payment = { ...sinceOrigins, ...document };
    const retry = payment.origin === 'COLLECTION' ? Number(payment.retry ?? retries) : undefined;
    if (retry !== undefined) retries = retry + 1;
    return { ...fromPaymentDocument(payment), number: Number(payment.number ?? index + 1), retry };
  });
}

function fromPaymentDocument(
  payment: PaymentDocument & Pick<Payment, 'origin'>,
): Omit<Payment, 'number' | 'retry'> {
  return {
    id: payment.id,
    amount: payment.amount,
    provider: payment.provider,
    providerPaymentId: payment.providerPaymentId ?? undefined,
    status: payment.status,
    failureCode: payment.failureCode ?? undefined,
    decline: declineOf(payment.failureCode) ?? payment.decline ?? undefined,
    methodId: payment.methodId ?? undefined,
    ...(payment.card && { card: payment.card }),
    origin: payment.origin,
    charged: payment.charged ?? undefined,
    callId: payment.callId ?? undefined,
    recorded: fromRecordedDocument(payment.recorded),
    overpayment: payment.overpayment ?? 0n,
    createdAt: payment.createdAt,
    endedAt: payment.endedAt ?? payment.createdAt,
  };
}

// The decline kind of a code may have changed since the payment was stored.
function declineOf(failureCode: string | null | undefined): DeclineKind | undefined {
  if (typeof failureCode !== 'string' || !isDeclineCode(failureCode)) return undefined;
  return declined(failureCode, undefined).decline;
}

function readCurrency(text: string): Currency {
  if (!isCurrency(text)) throw new Error(`An invoice is in an unknown currency: ${text}`);
  return text;
}
