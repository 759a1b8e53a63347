import { DomainError, notFound } from '@billing/kernel/domain-error';
import { applyDiscount, type DiscountTerms } from '@billing/kernel/discounting';
import { sumOf } from '@billing/kernel/money';
import { creditWithTax } from '@billing/kernel/proration/credit-lines';
import {
  type CreateInvoiceRequest,
  type DiscountTerms as ProtoDiscountTerms,
  type Invoice,
  InvoiceStatus,
  type LineItem,
  LineItemKind,
} from '@billing/proto/billing/checkout/v1/checkout';
import type { IssueCreditNoteRequest } from '@billing/proto/billing/checkout/v1/credit_note';
import type {
  ReleaseForChangeRequest,
  ReserveForChangeRequest,
} from '@billing/proto/billing/checkout/v1/reservation';
import { billingReasons } from '@billing/proto/values/checkout';
import { collectionMethods } from '@billing/proto/values/customer';
import { discountTypes } from '@billing/proto/values/discount';
import type { CollectionOutcome, CollectionResult } from '../../lifecycle/collection';
import { anInvoice } from '../invoice';
import { PlayedBalance } from './played-balance';
import { type PlayedRates, taxedLines } from './played-taxes';

/** Outcome of one charge: a charge that hangs ends when something needs its end. */
export type ChargeOutcome = 'SUCCEEDED' | 'FAILED' | 'HANGS' | 'NOT_CHARGED';

/** A credit note, and the part of it that goes to the customer's balance. */
interface PlayedNote {
  readonly id: string;
  readonly amount: bigint;
  readonly toBalance: bigint;
}

/** An invoice as the played checkout keeps it. */
export interface PlayedInvoice {
  readonly invoice: Invoice;
  status: 'DRAFT' | 'OPEN' | 'PAID' | 'VOID' | 'UNCOLLECTIBLE';
  balanceApplied: bigint;
  amountPaid: bigint;
  readonly notes: PlayedNote[];
  /** Credited amounts by line. */
  readonly credited: Map<string, bigint>;
  reservation: Reservation | undefined;
  readonly isChargedOnce: boolean;
  readonly isAutomatic: boolean;
  isHanging: boolean;
  isRetried: boolean;
  failures: number;
  results: number;
}

interface Reservation {
  readonly changeId: string;
  readonly round: number;
  readonly lines: ReadonlyMap<string, bigint>;
}

const failuresMax = 3;
const zero = 0n;

/**
 * The rules of checkout that a subscription meets: discounts and taxes of lines, balance, charges
 * by a script, voids, reservations and credit notes.
 */
export class PlayedCheckout {
  /** In the order of their creation. */
  readonly invoices = new Map<string, PlayedInvoice>();
  /** Results that the subscription has not received yet. */
  readonly results: CollectionResult[] = [];
  readonly balance = new PlayedBalance();
  private charges = 0;
  private changes = 0;

  constructor(
    private readonly script: readonly ChargeOutcome[],
    private readonly rates: PlayedRates,
    /** Whether each next invoice of a change stays a draft until it is opened. */
    private readonly drafts: readonly boolean[],
  ) {}

  /** True while an invoice of a change is a draft. */
  get hasDrafts(): boolean {
    return [...this.invoices.values()].some(({ status }) => status === 'DRAFT');
  }

  openDrafts(): void {
    for (const played of this.invoices.values()) this.open(played);
  }

  /** Charges the open invoices that are due to be charged again. */
  retry(): void {
    for (const played of this.invoices.values()) {
      const { status, isRetried, isHanging, isAutomatic } = played;
      if (status === 'OPEN' && isRetried && !isHanging && isAutomatic) this.charge(played);
    }
  }

  /** Payers pay the invoices that were sent to them. */
  paySent(): void {
    for (const played of this.invoices.values()) {
      if (played.status === 'OPEN' && !played.isAutomatic) this.pay(played);
    }
  }

  /** Charges that hang come to their ends. */
  endCharges(): void {
    for (const played of this.invoices.values()) this.endCharge(played);
  }

  readonly quotes = {
    quote: (request: CreateInvoiceRequest) =>
      Promise.resolve().then(() => {
        const invoice = this.taxed(request);
        return { ...invoice, balanceApplied: this.balance.offer(invoice.total) };
      }),
  };

  readonly calls = {
    createInvoice: (request: CreateInvoiceRequest) => Promise.resolve(this.create(request)),
    getInvoice: ({ id, changeId }: { readonly id: string; readonly changeId: string }) =>
      Promise.resolve(this.read(id, changeId)),
    voidDerivedInvoice: ({ invoiceId }: { readonly invoiceId: string }) =>
      Promise.resolve({ invoice: this.voidDerived(invoiceId) }),
    endCollection: (asked: { readonly invoiceId: string; readonly writeOff: boolean }) =>
      Promise.resolve(this.endCollection(asked)),
    issueCreditNote: (request: IssueCreditNoteRequest) => Promise.resolve(this.credit(request)),
    reserveForChange: (request: ReserveForChangeRequest) => Promise.resolve(this.reserve(request)),
    releaseForChange: (request: ReleaseForChangeRequest) => Promise.resolve(this.release(request)),
  };

  private create(request: CreateInvoiceRequest) {
    const { invoiceId, chargedOnce = false } = request;
    const known = this.invoices.get(invoiceId);
    if (known !== undefined) return { invoice: shownOf(known), collecting: isDraft(known) };
    const invoice = this.taxed(request);
    if (invoice.total < zero) throw new Error(`Invoice ${invoiceId} has a total below 0`);
    const played: PlayedInvoice = {
      ...{ invoice, balanceApplied: zero, amountPaid: zero, notes: [], credited: new Map() },
      ...{ status: 'DRAFT', reservation: undefined, isChargedOnce: chargedOnce },
      isAutomatic: collectionMethods.nameOf(request.collectionMethod) !== 'SEND_INVOICE',
      ...{ isHanging: false, isRetried: true, failures: 0, results: 0 },
    };
    this.invoices.set(invoiceId, played);
    if (!this.staysDraft(request)) this.open(played);
    const isCollecting = played.results > 0 || played.isHanging || isDraft(played);
    return { invoice: shownOf(played), collecting: isCollecting };
  }

  private staysDraft(request: CreateInvoiceRequest): boolean {
    if (!isOfChange(request)) return false;
    this.changes += 1;
    return this.drafts[(this.changes - 1) % this.drafts.length] ?? false;
  }

  private open(played: PlayedInvoice): void {
    if (!isDraft(played)) return;
    const { invoice, isAutomatic, isRetried } = played;
    played.status = 'OPEN';
    played.balanceApplied = this.balance.pay(invoice.id, invoice.total);
    if (outstandingOf(played) === zero) this.finish(played, 'PAID', 'NOTHING_DUE');
    else if (isAutomatic && isRetried) this.charge(played);
  }

  /** The invoice that a request creates, with the discounts and taxes of its lines. */
  private taxed(request: CreateInvoiceRequest): Invoice {
    const made = anInvoice(request, InvoiceStatus.INVOICE_STATUS_OPEN);
    const parts = discountParts(request);
    const priced = made.lineItems.map((line, index) => ({
      ...line,
      discountAmount: parts[index] ?? zero,
    }));
    const corrected = priced.flatMap(({ id, taxedAs }): [string, string][] => {
      const percent = taxedAs === undefined ? undefined : this.percentOf(taxedAs);
      return percent === undefined ? [] : [[id, percent]];
    });
    const lineItems = taxedLines(priced, this.rates, new Map(corrected));
    const total = sumOf(lineItems.map((line) => line.total));
    return { ...made, lineItems, discountAmount: sumOf(parts), total };
  }

  private percentOf({
    invoiceId,
    lineItemId,
  }: NonNullable<LineItem['taxedAs']>): string | undefined {
    const { invoice } = this.known(invoiceId);
    return invoice.lineItems.find(({ id }) => id === lineItemId)?.taxPercent;
  }

  /** Amounts with tax of priced amounts of lines. */
  private creditsOf(
    played: PlayedInvoice,
    lines: readonly { readonly lineItemId: string; readonly amount: bigint }[],
  ): (readonly [string, bigint])[] {
    const { lineItems } = played.invoice;
    let leftOfAll = sumOf(lineItems.map((line) => leftOf(played, line)));
    return lines.map(({ lineItemId, amount }) => {
      const line = lineItems.find(({ id }) => id === lineItemId);
      if (line === undefined) throw notFound('Line');
      const { total, discountAmount } = line;
      const priced = this.rates.isIncluded ? total : line.amount - discountAmount;
      const left = { left: leftOf(played, line), leftOfAll };
      const credit = creditWithTax({ priced, total }, amount, left);
      leftOfAll -= credit;
      return [lineItemId, credit] as const;
    });
  }

  private charge(played: PlayedInvoice): void {
    const outcome = this.script[this.charges % this.script.length] ?? 'SUCCEEDED';
    this.charges += 1;
    // Only the charge of a change that is paid first is waited for.
    if (outcome === 'HANGS' && played.isChargedOnce && played.results === 0)
      played.isHanging = true;
    else this.applyCharge(played, outcome === 'HANGS' ? 'SUCCEEDED' : outcome);
  }

  private applyCharge(played: PlayedInvoice, outcome: Exclude<ChargeOutcome, 'HANGS'>): void {
    if (outcome === 'SUCCEEDED') {
      this.pay(played);
      return;
    }
    if (outcome === 'NOT_CHARGED') {
      this.report(played, 'NOT_CHARGED');
      return;
    }
    played.failures += 1;
    if (played.isChargedOnce && played.results === 0) {
      this.voidNow(played);
      this.report(played, 'FAILED');
      return;
    }
    if (played.failures < failuresMax) {
      this.report(played, 'FAILED');
      return;
    }
    played.status = 'UNCOLLECTIBLE';
    this.report(played, 'UNCOLLECTIBLE');
  }

  private endCharge(played: PlayedInvoice): void {
    if (!played.isHanging) return;
    played.isHanging = false;
    const outcome = this.script[this.charges % this.script.length];
    this.charges += 1;
    this.applyCharge(played, outcome === 'FAILED' ? 'FAILED' : 'SUCCEEDED');
  }

  private pay(played: PlayedInvoice): void {
    played.amountPaid = outstandingOf(played);
    this.finish(played, 'PAID', 'SUCCEEDED');
  }

  private finish(played: PlayedInvoice, status: 'PAID', outcome: CollectionOutcome): void {
    played.status = status;
    this.report(played, outcome);
  }

  private report(played: PlayedInvoice, outcome: CollectionOutcome): void {
    played.results += 1;
    const { invoice, results: resultNumber, failures: attempt, isAutomatic } = played;
    this.results.push({
      ...{ invoiceId: invoice.id, resultNumber, outcome },
      collectionMethod: isAutomatic ? 'CHARGE_AUTOMATICALLY' : 'SEND_INVOICE',
      payment: { invoice: resultNumber, attempt, nextAttemptAt: null },
      ...(outcome === 'FAILED' && { failure: { code: 'card_declined', message: 'Declined' } }),
    });
  }

  private voidDerived(invoiceId: string): Invoice | undefined {
    const played = this.invoices.get(invoiceId);
    if (played === undefined) return undefined;
    this.endCharge(played);
    if (played.status === 'OPEN' && played.notes.length > 0) played.isRetried = false;
    else if (played.status === 'OPEN' || isDraft(played)) {
      this.voidNow(played);
      this.report(played, 'VOIDED');
    }
    return shownOf(played);
  }

  private voidNow(played: PlayedInvoice): void {
    this.balance.left += played.balanceApplied;
    this.balance.giveBack(played.invoice.id);
    Object.assign(played, { status: 'VOID', balanceApplied: zero, reservation: undefined });
  }

  private endCollection({
    invoiceId,
    writeOff,
  }: {
    readonly invoiceId: string;
    readonly writeOff: boolean;
  }) {
    const played = this.known(invoiceId);
    played.isRetried = false;
    if (writeOff && played.status === 'OPEN') played.status = 'UNCOLLECTIBLE';
    return { invoice: shownOf(played) };
  }

  private read(id: string, changeId: string) {
    const played = this.known(id);
    const { invoice, reservation } = played;
    const isOfOther = reservation !== undefined && reservation.changeId !== changeId;
    const left = invoice.lineItems.map((line) => ({
      lineItemId: line.id,
      amount: leftOf(played, line) - (isOfOther ? (reservation.lines.get(line.id) ?? zero) : zero),
    }));
    return { invoice: shownOf(played), left, reservedByOtherChange: isOfOther };
  }

  private reserve(request: ReserveForChangeRequest) {
    const { changeId, round, credits } = request;
    this.balance.reserve(request);
    for (const invoiceId of new Set(credits.map((credit) => credit.invoiceId))) {
      const played = this.known(invoiceId);
      const { status, reservation } = played;
      if (status !== 'PAID' && status !== 'OPEN') throw cannotBeCredited();
      if (reservation !== undefined && reservation.changeId !== changeId) throw reserved();
      const own = credits.filter((credit) => credit.invoiceId === invoiceId);
      played.reservation = { changeId, round, lines: new Map(this.creditsOf(played, own)) };
    }
    return {};
  }

  private release({ changeId, round }: Pick<ReleaseForChangeRequest, 'changeId' | 'round'>) {
    this.balance.release({ changeId, round });
    for (const played of this.invoices.values()) {
      const { reservation } = played;
      if (reservation?.changeId !== changeId || reservation.round !== round) continue;
      played.reservation = undefined;
    }
    return {};
  }

  private credit({ creditNoteId: id, invoiceId, changeId, lines, inFull }: IssueCreditNoteRequest) {
    const played = this.known(invoiceId);
    const none = { creditNote: undefined };
    if (played.status === 'VOID' || played.notes.some((note) => note.id === id)) return none;
    if (played.reservation?.changeId === changeId) played.reservation = undefined;
    const ofLines = inFull
      ? played.invoice.lineItems.map((line) => [line.id, leftOf(played, line)] as const)
      : this.creditsOf(played, lines);
    const amount = ofLines.reduce((sum, [, one]) => sum + one, zero);
    if (amount <= zero) return none;
    for (const [line, one] of ofLines) {
      played.credited.set(line, (played.credited.get(line) ?? zero) + one);
    }
    const outstanding = played.status === 'OPEN' ? outstandingOf(played) : zero;
    const toBalance = amount > outstanding ? amount - outstanding : zero;
    this.balance.left += toBalance;
    played.notes.push({ id, amount, toBalance });
    if (played.status === 'OPEN' && amount >= outstanding) this.finish(played, 'PAID', 'SETTLED');
    return none;
  }

  private known(id: string): PlayedInvoice {
    const played = this.invoices.get(id);
    if (played === undefined) throw notFound('Invoice');
    return played;
  }
}

function isDraft({ status }: PlayedInvoice): boolean {
  return status === 'DRAFT';
}

/** What is owed of an invoice. */
function outstandingOf({ invoice, amountPaid, balanceApplied, notes }: PlayedInvoice): bigint {
  const reduced = notes.reduce((sum, { amount, toBalance }) => sum + amount - toBalance, zero);
  return invoice.total - amountPaid - balanceApplied - reduced;
}

function leftOf({ credited }: PlayedInvoice, line: LineItem): bigint {
  return line.total - (credited.get(line.id) ?? zero);
}

/** Lines of changes have their shares; the discount of the invoice is split over the others. */
function discountParts({ lineItems, ...request }: CreateInvoiceRequest): bigint[] {
  const isChange = isOfChange(request);
  const isPart = ({ kind }: LineItem) =>
    kind === LineItemKind.LINE_ITEM_KIND_UNUSED_TIME ||
    kind === LineItemKind.LINE_ITEM_KIND_REMAINING_TIME;
  const hasOwnShare = (line: LineItem) => isChange || isPart(line);
  const open = lineItems.filter((line) => !hasOwnShare(line));
  const { discount } = request;
  const lines = open.map(({ amount, itemProductId: productId = '' }) => ({ amount, productId }));
  const split =
    discount === undefined || lines.length === 0
      ? []
      : [...applyDiscount(termsOf(discount), { currency: 'USD', lines }).parts];
  return lineItems.map((line) =>
    hasOwnShare(line) ? line.discountAmount : (split.shift() ?? zero),
  );
}

function isOfChange({ billingReason }: Pick<CreateInvoiceRequest, 'billingReason'>): boolean {
  return billingReasons.nameOf(billingReason) === 'SUBSCRIPTION_CHANGE';
}

function termsOf({ type, value, productIds }: ProtoDiscountTerms): DiscountTerms {
  return { type: discountTypes.nameOf(type), value, currency: null, productIds };
}

const statuses = {
  DRAFT: InvoiceStatus.INVOICE_STATUS_DRAFT,
  OPEN: InvoiceStatus.INVOICE_STATUS_OPEN,
  PAID: InvoiceStatus.INVOICE_STATUS_PAID,
  VOID: InvoiceStatus.INVOICE_STATUS_VOID,
  UNCOLLECTIBLE: InvoiceStatus.INVOICE_STATUS_UNCOLLECTIBLE,
};

function shownOf({ invoice, status, notes }: PlayedInvoice): Invoice {
  return { ...invoice, status: statuses[status], creditNoteIds: notes.map(({ id }) => id) };
}

function cannotBeCredited(): DomainError {
  return new DomainError(
    'failed_precondition',
    'INVOICE_CANNOT_BE_CREDITED',
    'Invoice cannot be credited',
  );
}

function reserved(): DomainError {
  return new DomainError('unavailable', 'RESERVATION_IN_PROGRESS', 'Service unavailable');
}
