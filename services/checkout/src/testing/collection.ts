import { DomainError } from '@billing/kernel/domain-error';
import type { Transition } from '@billing/kernel/transition';
import { type Attempt, chargeKey } from '../invoice/attempt';
import {
  collectWhenDue,
  collectWithNewDefault,
  endCollection,
  markUncollectible,
  openAndCollect,
  payNow,
  recordResult,
  recordWaiting,
  takeAnswer,
  voidForCaller,
} from '../invoice/collection';
import { claimBalance, recordExternal } from '../invoice/recorded-payment';
import { declined } from '../provider/port/decline';
import { draft } from '../draft/draft';
import {
  type CollectionMethod,
  type Invoice,
  type InvoiceRecord,
  tombstone,
  voidInvoice,
} from '../invoice/invoice';
import type { MethodChoice } from '../invoice/method-choice';
import type { ChargeOutcome, FinalOutcome } from '../provider/port/payment-provider';
import { aClaim, aDraft, aLineItem, aNewInvoice } from './invoice';

// Workers and callers run in any order, stop anywhere and start again. Each step is one decision on
// the current record, which is what a compare-and-set gives; the provider answers a known key with
// its outcome, and ends each challenge once.

export const workers = [0, 1, 2] as const;
export type Worker = (typeof workers)[number];
export type ProviderAnswer = 'SUCCEEDS' | 'SOFT' | 'HARD' | 'CHALLENGES';

export type Turn =
  | { act: 'create' | 'void' | 'voidForCaller' | 'returnBalance' }
  | { act: 'takeBalance'; isVoided: boolean }
  | {
      act: 'open' | 'wake' | 'newDefault';
      by: Worker;
      methodId: string | undefined;
      otherMethodIds: readonly string[];
    }
  | { act: 'pay'; by: Worker; methodId: string; callId: string }
  | { act: 'recover' | 'record' | 'crash' | 'release'; by: Worker }
  | { act: 'charge'; by: Worker; providerAnswer: ProviderAnswer }
  | { act: 'answer'; by: Worker; approved: boolean }
  | { act: 'end'; writeOff: boolean }
  | { act: 'receive'; amount: bigint | undefined; callId: string }
  | { act: 'takePayment'; by: Worker; amount: bigint | undefined; callId: string }
  | { act: 'writeOff' };

/** A worker's view of its attempt. */
interface AttemptView {
  readonly attempt: Attempt;
  readonly outcome: ChargeOutcome | undefined;
}

const refusals = [
  'PAYMENT_IN_PROGRESS',
  'INVOICE_NOT_OPEN',
  'INVOICE_HAS_PAYMENTS',
  'BALANCE_TOO_LOW',
  'INVALID_REQUEST',
];
const number = 'INV-000001';
const methodsMax = 4;

/** One invoice, its provider, and three workers with the state that they last saw. */
export class World {
  record: InvoiceRecord | undefined;
  readonly provider = new Map<string, ChargeOutcome>();
  readonly results: { resultNumber: unknown; outcome: unknown }[] = [];
  readonly held = new Map<Worker, AttemptView>();
  /** Amounts of the invoice's entries in its customer's balance, each posted at most once. */
  readonly entries: { applied?: bigint; returned?: bigint } = {};
  /** Amounts taken from the balance by attempts, and credited to it by payments. */
  readonly taken = new Map<number, bigint>();
  readonly credited = new Map<string, bigint>();
  /** Sources seen for each attempt. */
  readonly sources = new Map<number, Set<string>>();
  private clock = Date.parse('2026-01-01T00:00:00.000Z');
  private choice: MethodChoice = { methodId: undefined };
  private returns = false;

  constructor(
    private readonly amount: bigint,
    private readonly collectionMethod: CollectionMethod,
    private readonly balance = 0n,
  ) {}

  take(next: Turn): void {
    this.clock += 12 * 60 * 60 * 1000;
    if (next.act === 'create') {
      this.record ??= draft(this.input()).state;
    } else if (next.act === 'void') {
      this.void();
    } else if (next.act === 'crash') {
      this.held.delete(next.by);
    } else if (this.record !== undefined && !this.record.isTombstone) {
      this.work(next, this.record);
    }
  }

  /**
   * Runs the work of the opening command, the resuming worker and the payer's answer to its end.
   */
  settle(): void {
    this.take({ act: 'open', by: 0, methodId: 'c', otherMethodIds: [] });
    // Each of a retry's methods is a separate attempt.
    for (let attempt = 0; attempt < methodsMax; attempt += 1) {
      for (const act of ['recover', 'charge', 'record', 'release'] as const) {
        this.take(act === 'charge' ? { act, by: 0, providerAnswer: 'SOFT' } : { act, by: 0 });
      }
    }
    this.take({ act: 'returnBalance' });
  }

  get successes(): number {
    return [...this.provider.values()].filter(({ status }) => status === 'SUCCEEDED').length;
  }

  private get now(): Date {
    return new Date(this.clock);
  }

  private input() {
    const { collectionMethod, amount } = this;
    const balanceRound = this.balance > 0n ? 1 : undefined;
    return aNewInvoice({ collectionMethod, balanceRound, lineItems: [aLineItem({ amount })] });
  }

  private work(next: Exclude<Turn, { act: 'create' | 'void' | 'crash' }>, invoice: Invoice): void {
    const { now } = this;
    switch (next.act) {
      case 'open':
        this.claim(
          next.by,
          openAndCollect(invoice, { ...this.openingOf(invoice), ...this.claimOf(next.methodId) }),
        );
        return;
      case 'wake':
        this.choice = { methodId: next.methodId, otherMethodIds: next.otherMethodIds };
        this.claim(
          next.by,
          collectWhenDue(invoice, { ...this.claimOf(next.methodId), ...this.choice }),
        );
        return;
      case 'newDefault':
        this.choice = { methodId: next.methodId, otherMethodIds: next.otherMethodIds };
        this.claim(next.by, collectWithNewDefault(invoice, this.claimOf(next.methodId)));
        return;
      case 'pay':
        this.tryTo(() => {
          this.claim(next.by, payNow(invoice, this.paymentOf(next)));
        });
        return;
      case 'answer': {
        const attemptNumber = invoice.attempt?.number ?? 1;
        const answer = { attemptNumber, approved: next.approved, claimedAt: now };
        this.claim(next.by, takeAnswer(invoice, answer));
        return;
      }
      case 'recover':
        this.hold(next.by);
        return;
      case 'charge':
        this.charge(next);
        return;
      case 'record':
        this.recordBy(next.by);
        return;
      case 'release':
        this.release(invoice);
        return;
      case 'end':
        this.apply(
          endCollection(invoice, {
            ...this.openingOf(invoice),
            ...{ writeOff: next.writeOff, retryDays: [3, 7, 14], now },
          }),
        );
        return;
      case 'takeBalance':
        this.openingOf(invoice, { isVoided: next.isVoided });
        return;
      case 'returnBalance':
        if (this.returns) this.entries.returned ??= this.entries.applied ?? 0n;
        return;
      case 'voidForCaller':
        this.tryTo(() => {
          this.apply(voidForCaller(invoice, now));
        });
        return;
      case 'writeOff':
        this.tryTo(() => {
          this.apply(markUncollectible(invoice, { methods: this.choice, now }));
        });
        return;
      case 'receive':
        this.tryTo(() => {
          this.apply(recordExternal(invoice, { ...this.recordingOf(next), paymentIdOf: String }));
        });
        return;
      case 'takePayment':
        this.tryTo(() => {
          const facts = { ...this.recordingOf(next), balance: this.balanceLeft, claimedAt: now };
          this.claim(next.by, claimBalance(invoice, facts));
        });
    }
  }

  private claimOf(method: string | undefined) {
    const { now } = this;
    if (method === undefined) return aClaim({ now, claimedAt: now });
    const source = { kind: 'METHOD', paymentMethodId: method } as const;
    return aClaim({ source, now, claimedAt: now });
  }

  private paymentOf({ methodId: method, callId }: Extract<Turn, { act: 'pay' }>) {
    const { choice: methods } = this;
    return { ...this.claimOf(method), callId, returnUrl: 'https://back.example', methods };
  }

  private recordingOf({ amount, callId }: { amount: bigint | undefined; callId: string }) {
    const { choice: methods, now } = this;
    const details = {
      method: 'CASH',
      reference: undefined,
      receivedAt: now,
      metadata: {},
    } as const;
    return { callId, amount, details, methods, now };
  }

  /** Amount of the customer's balance. */
  get balanceLeft(): bigint {
    const { applied = 0n, returned = 0n } = this.entries;
    const taken = [...this.taken.values()].reduce((sum, each) => sum + each, 0n);
    const credited = [...this.credited.values()].reduce((sum, each) => sum + each, 0n);
    return this.balance - applied + returned - taken + credited;
  }

  private claim(worker: Worker, transition: Transition<InvoiceRecord>): void {
    this.apply(transition);
    this.hold(worker);
  }

  private hold(worker: Worker): void {
    const { record } = this;
    if (record === undefined || record.isTombstone) return;
    const { attempt } = record;
    if (attempt?.status === 'PENDING') this.held.set(worker, { attempt, outcome: undefined });
  }

  private charge({ by: worker, providerAnswer }: Extract<Turn, { act: 'charge' }>): void {
    const held = this.held.get(worker);
    if (held === undefined || this.record === undefined) return;
    if (held.attempt.source.kind === 'BALANCE') {
      this.held.set(worker, { ...held, outcome: this.takeFromBalance(held.attempt) });
      return;
    }
    const key = chargeKey(this.record.id, held.attempt);
    const known = this.provider.get(key);
    const isAnswered = held.attempt.answers > 0 && known?.status === 'REQUIRES_ACTION';
    const approved = held.attempt.approved === true && providerAnswer === 'SUCCEEDS';
    const fresh = isAnswered ? ended(key, approved) : first(key, held.attempt, providerAnswer);
    const outcome = known === undefined || isAnswered ? fresh : known;
    this.provider.set(key, outcome);
    this.held.set(worker, { ...held, outcome });
  }

  private recordBy(worker: Worker): void {
    const held = this.held.get(worker);
    if (held?.outcome === undefined || this.record === undefined) return;
    const { attempt, outcome } = held;
    this.held.delete(worker);
    if (outcome.status !== 'REQUIRES_ACTION') {
      this.finish(attempt.number, outcome);
      return;
    }
    const { number: attemptNumber, answers } = attempt;
    this.apply(recordWaiting(this.record, { attemptNumber, answers, outcome }));
  }

  // The first posting decides; a tombstone takes nothing.
  private takeFromBalance({ number: attempt, source }: Attempt): FinalOutcome {
    const amount = source.kind === 'BALANCE' ? source.amount : 0n;
    const taken = this.taken.get(attempt) ?? (this.balanceLeft < amount ? 0n : amount);
    this.taken.set(attempt, taken);
    const key = String(attempt);
    if (taken === 0n) return declined('balance_too_low', undefined);
    return { status: 'SUCCEEDED', providerPaymentId: key };
  }

  // The provider is asked to cancel, and its answer is recorded by the same worker.
  private release({ id, attempt }: Invoice): void {
    if (attempt?.status !== 'REQUIRES_ACTION') return;
    const key = chargeKey(id, attempt);
    const known = this.provider.get(key);
    const outcome =
      known === undefined || known.status === 'REQUIRES_ACTION' ? ended(key, false) : known;
    this.provider.set(key, outcome);
    this.finish(attempt.number, outcome);
  }

  private finish(attemptNumber: number, outcome: FinalOutcome): void {
    if (this.record === undefined) return;
    const { now, choice: methods } = this;
    const facts = { now, claimedAt: now, methods, provider: 'sandbox', retryDays: [3, 7, 14] };
    const paymentId = String(attemptNumber);
    this.apply(recordResult(this.record, { attemptNumber, outcome, paymentId, ...facts }));
  }

  private void(): void {
    const { record, now } = this;
    if (record === undefined) {
      const { id, subscriptionId, customerId, currency } = aDraft();
      this.record = tombstone({ id, subscriptionId, customerId, currency }).state;
      return;
    }
    this.tryTo(() => {
      const opening = record.isTombstone ? { number } : this.openingOf(record, { isVoided: true });
      this.apply(voidInvoice(record, { ...opening, now }));
    });
  }

  // The first posting decides the amount; a void posts a tombstone.
  private openingOf(
    { status, balanceRound }: Invoice,
    { isVoided = false }: { readonly isVoided?: boolean } = {},
  ) {
    if (status !== 'DRAFT' || balanceRound === undefined) return { number };
    const { amount, balance, entries } = this;
    entries.applied ??= isVoided ? 0n : balance < amount ? balance : amount;
    return { number, balanceApplied: entries.applied };
  }

  private tryTo(act: () => void): void {
    try {
      act();
    } catch (error) {
      if (!(error instanceof DomainError && refusals.includes(error.reason))) throw error;
    }
  }

  private apply({ state, commands }: Transition<InvoiceRecord>): void {
    this.record = state;
    for (const { type, payload } of commands) {
      if (type === 'returnBalance') this.returns = true;
      if (type === 'creditOverpayment' && !state.isTombstone) {
        const { paymentId } = payload as { paymentId: string };
        const payment = state.payments.find(({ id }) => id === paymentId);
        if (this.credited.has(paymentId)) throw new Error('An overpayment is credited once');
        this.credited.set(paymentId, payment?.overpayment ?? 0n);
      }
      if (type !== 'applyCollectionResult') continue;
      this.results.push({ resultNumber: payload.resultNumber, outcome: payload.outcome });
    }
    if (state.isTombstone || state.attempt === undefined) return;
    const { number: attemptNumber, source } = state.attempt;
    const seen = this.sources.get(attemptNumber) ?? new Set();
    const text = JSON.stringify(source, (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    this.sources.set(attemptNumber, seen.add(text));
  }
}

function first(
  key: string,
  { source, returnUrl }: Attempt,
  providerAnswer: ProviderAnswer,
): ChargeOutcome {
  if (source.kind === 'NONE') return declined('no_payment_method', undefined);
  if (providerAnswer === 'SUCCEEDS') return ended(key, true);
  if (providerAnswer === 'SOFT') return declined('card_declined', key);
  if (providerAnswer === 'HARD') return declined('lost_card', key);
  if (returnUrl === undefined) return declined('authentication_required', key);
  return { status: 'REQUIRES_ACTION', providerPaymentId: key, redirectUrl: undefined };
}

function ended(key: string, isApproved: boolean): FinalOutcome {
  if (isApproved) return { status: 'SUCCEEDED', providerPaymentId: key };
  return declined('authentication_required', key);
}
