import fc from 'fast-check';
import { DomainError } from '@billing/kernel/domain-error';
import type { Transition } from '@billing/kernel/transition';
import { chargeKey } from '../invoice/attempt';
import {
  attemptOfCall,
  payNow,
  recordResult,
  recordWaiting,
  takeAnswer,
} from '../invoice/collection';
import { draft } from '../draft/draft';
import { type InvoiceRecord, open, tombstone, voidInvoice } from '../invoice/invoice';
import type { ChargeOutcome, FinalOutcome } from '../provider/port/payment-provider';
import {
  abandon,
  expireWhenDue,
  isPastExpiry,
  makeReady,
  type PaymentPlan,
  type PaymentResult,
  recordPayment,
  resumeChallenge,
  type Session,
  type SessionRecord,
  startPayment,
} from './session';
import { aLineItem, aNewInvoice } from '../testing/invoice';
import { aSession, asSession, methodId, offeredAt, sessionId } from '../testing/session';

// Payers, their answers, the scanner of expiries and the workers that resume unfinished work run in
// any order, stop anywhere and start again. Each step is one decision on one current record, which
// is what a compare-and-set gives, or one question to the provider, which answers a known key with
// the outcome of its first charge.

type ProviderAnswer = ChargeOutcome['status'];
type Program = (typeof programs)[number];
type Turn =
  | { act: 'start'; by: number; program: Program }
  | { act: 'step'; by: number; providerAnswer: ProviderAnswer }
  | { act: 'crash'; by: number }
  | { act: 'answerAtProvider'; providerAnswer: ProviderAnswer }
  | { act: 'passTime' };

const by = fc.constantFrom(0, 1, 2);
const providerAnswer = fc.constantFrom<ProviderAnswer>('SUCCEEDED', 'FAILED', 'REQUIRES_ACTION');
const programs = [
  'reserve',
  'make',
  'abandon',
  'pay',
  'answer',
  'announce',
  'recover',
  'finish',
  'tell',
  'expire',
  'void',
] as const;
const turn: fc.Arbitrary<Turn> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant('start' as const),
      by,
      program: fc.constantFrom(...programs, 'pay' as const, 'pay' as const),
    }),
  },
  { weight: 14, arbitrary: fc.record({ act: fc.constant('step' as const), by, providerAnswer }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('crash' as const), by }) },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constant('answerAtProvider' as const), providerAnswer }),
  },
  { weight: 1, arbitrary: fc.constant({ act: 'passTime' as const }) },
);

type Steps = Generator<undefined, void, undefined>;

class World {
  session: SessionRecord = aSession();
  invoice: InvoiceRecord | undefined;
  isNumberTaken = false;
  readonly provider = new Map<string, ChargeOutcome>();
  private readonly running = new Map<number, Steps>();
  private now = offeredAt;
  private providerAnswer: ProviderAnswer = 'FAILED';
  private keys = 0;

  take(next: Turn): void {
    switch (next.act) {
      case 'start':
        this.running.set(next.by, this[next.program]());
        return;
      case 'step':
        this.providerAnswer = next.providerAnswer;
        if (this.running.get(next.by)?.next().done === true) this.running.delete(next.by);
        return;
      case 'crash':
        this.running.delete(next.by);
        return;
      case 'answerAtProvider':
        for (const [key, { status }] of this.provider) {
          if (status === 'REQUIRES_ACTION') this.provider.set(key, outcomeOf(next.providerAnswer));
        }
        return;
      case 'passTime':
        this.now = new Date(this.now.getTime() + 10 * 60 * 60 * 1000);
    }
  }

  /** Runs the work of commands, scanner and resuming workers to its end. */
  settle(): void {
    this.running.clear();
    this.providerAnswer = 'FAILED';
    for (let round = 0; round < 3; round += 1) {
      for (const program of ['reserve', 'make', 'finish', 'recover', 'tell', 'void'] as const)
        this.run(program);
    }
    this.now = new Date(this.now.getTime() + 100 * 60 * 60 * 1000);
    for (const program of ['expire', 'void'] as const) this.run(program);
  }

  get successes(): number {
    return [...this.provider.values()].filter(({ status }) => status === 'SUCCEEDED').length;
  }

  private run(program: Program): void {
    const steps = this[program]();
    while (steps.next().done !== true);
  }

  private *reserve(): Steps {
    if (asSession(this.session).phase !== 'CREATING') return;
    yield;
    this.decideSession((record) => makeReady(record, { total: 2900n, discount: 'terms' }));
  }

  // A returned session has an invoice.
  private *make(): Steps {
    if (asSession(this.session).phase === 'READY') yield* this.openInvoice();
  }

  private *openInvoice(): Steps {
    if (this.invoice !== undefined) return;
    yield;
    this.isNumberTaken = true;
    yield;
    const { invoiceId: id, customerId } = asSession(this.session);
    const session = { sessionId, subscriptionId: undefined, paidPeriod: { kind: 'NONE' as const } };
    const { state } = draft(aNewInvoice({ id, customerId, lineItems: [aLineItem()], session }));
    this.invoice ??= open(state, { number: 'INV-000001', now: this.now });
    yield;
  }

  private *abandon(): Steps {
    this.decideSession((record) => abandon(record, this.now));
    yield;
  }

  private *pay(): Steps {
    if (this.invoice === undefined) return;
    this.keys += 1;
    const plan = {
      paymentKey: `key ${String(this.keys)}`,
      paymentMethodId: methodId,
      returnUrl: '',
    };
    const isClaimed = this.decideSession((record) =>
      startPayment(record, { ...plan, claimedAt: this.now, now: this.now }),
    );
    yield;
    if (isClaimed) yield* this.carryOut(plan);
    else if (isPastExpiry(this.session, this.now)) yield* this.expire();
  }

  private *answer(): Steps {
    const { challenge } = asSession(this.session);
    if (challenge === undefined) return;
    yield;
    const answer = { attempt: challenge.attempt, claimedAt: this.now };
    if (isPastExpiry(this.session, this.now)) return;
    if (!this.decideSession((record) => resumeChallenge(record, answer))) return;
    yield;
    this.decideInvoice((record) =>
      takeAnswer(record, { attemptNumber: answer.attempt, approved: true, claimedAt: this.now }),
    );
    yield* this.finish();
    this.record(challenge);
  }

  // The provider sends an event about the waiting attempt.
  private *announce(): Steps {
    const { invoice } = this;
    if (invoice === undefined || invoice.isTombstone || invoice.attempt === undefined) return;
    const { number: attemptNumber, status } = invoice.attempt;
    if (status !== 'REQUIRES_ACTION') return;
    yield;
    this.decideInvoice((record) =>
      takeAnswer(record, { attemptNumber, approved: undefined, claimedAt: this.now }),
    );
    yield* this.finish();
  }

  private *recover(): Steps {
    const { payment } = asSession(this.session);
    if (payment !== undefined) yield* this.carryOut(payment);
  }

  private *tell(): Steps {
    const { payment, challenge } = asSession(this.session);
    yield;
    const plan = payment ?? challenge;
    if (plan !== undefined) yield* this.carryOut(plan);
  }

  private *expire(): Steps {
    const { challenge, expiresAt } = asSession(this.session);
    if (expiresAt > this.now) return;
    if (challenge !== undefined) {
      const claim = { attempt: challenge.attempt, claimedAt: this.now };
      const isClaimed = this.decideSession((record) => resumeChallenge(record, claim));
      yield;
      if (isClaimed) {
        yield* this.release();
        yield* this.carryOut(challenge);
      }
    }
    this.decideSession((record) => expireWhenDue(record, this.now));
    yield;
  }

  private *void(): Steps {
    if (asSession(this.session).phase !== 'EXPIRED') return;
    const { invoiceId: id, customerId, currency, total } = asSession(this.session);
    if (total !== undefined) yield* this.openInvoice();
    const holder = { id, customerId, currency, sessionId, subscriptionId: undefined };
    this.invoice ??= tombstone(holder).state;
    yield;
    yield* this.release();
    this.decideInvoice((record) => voidInvoice(record, { number: 'INV-000001', now: this.now }));
    yield;
  }

  private *carryOut(plan: PaymentPlan): Steps {
    const { invoice } = this;
    if (invoice === undefined || invoice.isTombstone) return;
    const isMine = attemptOfCall(invoice, plan.paymentKey) !== undefined;
    if (invoice.status === 'OPEN' && (isMine || invoice.attempt?.status !== 'PENDING')) {
      if (!isMine) yield* this.release();
      const presence = { callId: plan.paymentKey, returnUrl: plan.returnUrl };
      const claim = { ...this.claim(), ...presence, methods: { methodId: undefined } };
      this.decideInvoice((record) => payNow(record, claim));
      yield* this.finish();
    }
    this.record(plan);
  }

  private *finish(): Steps {
    yield;
    const { invoice } = this;
    if (invoice === undefined || invoice.isTombstone || invoice.attempt?.status !== 'PENDING')
      return;
    const { attempt, id } = invoice;
    const outcome = this.ask(chargeKey(id, attempt), attempt.answers > 0);
    yield;
    const { number: attemptNumber, answers } = attempt;
    if (outcome.status === 'REQUIRES_ACTION') {
      this.decideInvoice((record) => recordWaiting(record, { attemptNumber, answers, outcome }));
    } else this.recordOutcome(attemptNumber, outcome);
    yield;
  }

  // Cancels a challenge at the provider; if it had already succeeded, the success counts.
  private *release(): Steps {
    const { invoice } = this;
    if (invoice === undefined || invoice.isTombstone) return;
    if (invoice.attempt?.status !== 'REQUIRES_ACTION') return;
    const key = chargeKey(invoice.id, invoice.attempt);
    const known = this.provider.get(key);
    const outcome = known === undefined || known.status === 'REQUIRES_ACTION' ? failed : known;
    this.provider.set(key, outcome);
    yield;
    this.recordOutcome(invoice.attempt.number, outcome);
    yield;
  }

  private ask(key: string, isAnswered: boolean): ChargeOutcome {
    const known = this.provider.get(key);
    const isOpen = known === undefined || (isAnswered && known.status === 'REQUIRES_ACTION');
    const outcome = isOpen ? outcomeOf(this.providerAnswer) : known;
    this.provider.set(key, outcome);
    return outcome;
  }

  private recordOutcome(attemptNumber: number, outcome: FinalOutcome): void {
    const facts = {
      paymentId: String(attemptNumber),
      claimedAt: this.now,
      methods: { methodId: undefined },
      provider: 'sandbox',
      retryDays: [],
    };
    this.decideInvoice((record) =>
      recordResult(record, { attemptNumber, outcome, ...facts, now: this.now }),
    );
  }

  private record({ paymentKey }: PaymentPlan): void {
    const result = resultOf(this.invoice, paymentKey);
    if (result !== undefined)
      this.decideSession((record) => recordPayment(record, { paymentKey, result }));
  }

  private claim() {
    const source = { kind: 'METHOD', paymentMethodId: methodId } as const;
    return { source, methodId, provider: 'sandbox', now: this.now, claimedAt: this.now };
  }

  private decideSession(decide: (record: SessionRecord) => Transition<SessionRecord>): boolean {
    const before = this.session;
    this.session = decide(before).state;
    return this.session !== before && asSession(this.session).phase === 'PAYING';
  }

  private decideInvoice(decide: (record: InvoiceRecord) => Transition<InvoiceRecord>): void {
    if (this.invoice === undefined) return;
    try {
      this.invoice = decide(this.invoice).state;
    } catch (error) {
      // Refused; the step is retried or has lost.
      if (!(error instanceof DomainError)) throw error;
    }
  }
}

const failed: FinalOutcome = {
  status: 'FAILED',
  failureCode: 'authentication_required',
  decline: 'SOFT',
  providerPaymentId: undefined,
};

function outcomeOf(status: ProviderAnswer): ChargeOutcome {
  switch (status) {
    case 'SUCCEEDED':
      return { status, providerPaymentId: 'p' };
    case 'FAILED':
      return failed;
    case 'REQUIRES_ACTION':
      return { status, providerPaymentId: 'p', redirectUrl: undefined };
  }
}

function resultOf(invoice: InvoiceRecord | undefined, key: string): PaymentResult | undefined {
  if (invoice === undefined || invoice.isTombstone) return undefined;
  const { id: invoiceId, paidAt } = invoice;
  if (paidAt !== undefined) return { kind: 'PAID', invoiceId, paidAt, invoice };
  if (invoice.status !== 'OPEN') return { kind: 'NOT_OPEN' };
  const number = attemptOfCall(invoice, key);
  if (number === undefined) return undefined;
  const ended = invoice.payments[number - 1];
  if (ended?.failureCode !== undefined) {
    return { kind: 'FAILED', failureCode: ended.failureCode, at: ended.endedAt };
  }
  const { attempt } = invoice;
  if (attempt?.status !== 'REQUIRES_ACTION' || attempt.number !== number) return undefined;
  return { kind: 'WAITING', attempt: number, redirectUrl: undefined };
}

/** Lists every violated invariant. */
function problemsOf({ session, invoice, successes, provider, isNumberTaken }: World): string[] {
  const { phase, payment, challenge } = asSession(session);
  const isPaid = invoice?.status === 'PAID';
  const facts: [string, boolean][] = [
    ['at most one successful charge', successes <= 1],
    ['nothing charged for an expired session', phase !== 'EXPIRED' || successes === 0],
    ['nothing can be charged for an expired session', phase !== 'EXPIRED' || !hasOpen(provider)],
    ['COMPLETE only with a PAID invoice', phase !== 'COMPLETE' || isPaid],
    ['PAID only by a charge', !isPaid || successes === 1],
    ['a payment exactly while PAYING', (payment !== undefined) === (phase === 'PAYING')],
    ['a number only for an invoice', !isNumberTaken || invoice?.isTombstone !== true],
    ['a challenge only while READY', challenge === undefined || phase === 'READY'],
  ];
  return facts.filter(([, holds]) => !holds).map(([name]) => name);
}

function hasOpen(provider: World['provider']): boolean {
  return [...provider.values()].some(({ status }) => status === 'REQUIRES_ACTION');
}

function endOf({ session, invoice, successes }: World): string {
  return `${asSession(session).phase} ${invoice?.status ?? 'without invoice'} ${String(successes)}`;
}

test('a session ends paid by exactly one charge, or expired without any, in any order of payers, answers, expiries and crashes', () => {
  const ends = new Set<string>();
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 120, size: 'max' }), (turns) => {
      const world = new World();
      // Otherwise most runs are over before a payer could pay.
      for (const program of ['reserve', 'make'] as const) {
        world.take({ act: 'start', by: 0, program });
        for (let step = 0; step < 4; step += 1)
          world.take({ act: 'step', by: 0, providerAnswer: 'FAILED' });
      }
      const problems = turns.flatMap((next) => {
        world.take(next);
        return problemsOf(world);
      });
      world.settle();
      ends.add(endOf(world));
      expect([...problems, ...problemsOf(world)]).toEqual([]);
      expect(['COMPLETE PAID 1', 'EXPIRED VOID 0']).toContain(endOf(world));
    }),
    { numRuns: 3_000 },
  );
  // Both ends occurred, so the runs are significant.
  expect(ends.size).toBe(2);
});

test('a session whose creation is interrupted anywhere is created or abandoned', () => {
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 30, size: 'max' }), (turns) => {
      const world = new World();
      for (const next of turns) world.take(next);
      world.settle();
      expect(problemsOf(world)).toEqual([]);
      expect(asSession(world.session).phase satisfies Session['phase']).toMatch(/COMPLETE|EXPIRED/);
      // A taken number has its invoice, however early its session ended.
      expect(world.invoice?.isTombstone).toBe(!world.isNumberTaken);
    }),
    { numRuns: 1_000 },
  );
});
