import fc from 'fast-check';
import { DomainError } from '@billing/kernel/domain-error';
import type { Transition } from '@billing/kernel/transition';
import { chargeKey } from './attempt';
import { collectWhenDue, openAndCollect, recordResult } from './collection';
import { declined } from './decline';
import { aClaim, aDraft, aLineItem, aNewInvoice, savedMethod } from './testing';
import { draft, type InvoiceRecord, tombstone, totalOf, voidInvoice } from './invoice';
import type { ChargeSource, FinalOutcome } from './payment-provider';

// Workers and callers take turns in any order, stop anywhere and start again. Each turn is one decision on the record as it stands, which is
// what a compare-and-set gives; the provider answers a key that it knows with its first outcome.

const workers = [0, 1, 2] as const;
type Worker = (typeof workers)[number];

type Turn =
  | { act: 'create' | 'void' }
  | { act: 'open' | 'wake'; by: Worker; hasMethod: boolean }
  | { act: 'recover' | 'record' | 'crash'; by: Worker }
  | { act: 'charge'; by: Worker; succeeds: boolean };

const by = fc.constantFrom(...workers);
const turn: fc.Arbitrary<Turn> = fc.oneof(
  fc.record({ act: fc.constantFrom('create' as const, 'void' as const) }),
  fc.record({
    act: fc.constantFrom('open' as const, 'wake' as const),
    by,
    hasMethod: fc.boolean(),
  }),
  fc.record({ act: fc.constantFrom('recover' as const, 'record' as const, 'crash' as const), by }),
  fc.record({ act: fc.constant('charge' as const), by, succeeds: fc.boolean() }),
);

/** What a worker knows of the attempt that it works on. */
interface Held {
  readonly attemptNumber: number;
  readonly outcome: FinalOutcome | undefined;
}

class World {
  record: InvoiceRecord | undefined;
  readonly provider = new Map<string, FinalOutcome>();
  readonly resultNumbers: unknown[] = [];
  readonly held = new Map<Worker, Held>();
  /** By attempt, every source that it was seen with. */
  readonly sources = new Map<number, Set<string>>();
  private clock = Date.parse('2026-01-01T00:00:00.000Z');

  constructor(private readonly amount: bigint) {}

  take(next: Turn): void {
    this.clock += 60 * 60 * 1000;
    switch (next.act) {
      case 'create':
        this.record ??= draft(
          aNewInvoice({ lineItems: [aLineItem({ amount: this.amount })] }),
        ).state;
        return;
      case 'void':
        this.void();
        return;
      case 'open':
        this.claim(next.by, (record) =>
          openAndCollect(record, { number: 'INV-000001', ...this.claimOf(next) }),
        );
        return;
      case 'wake':
        this.claim(next.by, (record) => collectWhenDue(record, this.claimOf(next)));
        return;
      case 'recover':
        this.hold(next.by);
        return;
      case 'charge':
        this.charge(next);
        return;
      case 'record':
        this.recordBy(next.by);
        return;
      case 'crash':
        this.held.delete(next.by);
    }
  }

  /** What the openInvoice command, the due scan and the resuming worker bring to an end. */
  settle(): void {
    this.take({ act: 'open', by: 0, hasMethod: true });
    this.take({ act: 'wake', by: 0, hasMethod: true });
    this.take({ act: 'recover', by: 0 });
    this.take({ act: 'charge', by: 0, succeeds: true });
    this.take({ act: 'record', by: 0 });
  }

  get successes(): number {
    return [...this.provider.values()].filter(({ status }) => status === 'SUCCEEDED').length;
  }

  private get now(): Date {
    return new Date(this.clock);
  }

  private claimOf({ hasMethod }: { hasMethod: boolean }) {
    const source: ChargeSource = hasMethod ? savedMethod : { kind: 'NONE' };
    return aClaim({ source, now: this.now, claimedAt: this.now });
  }

  private claim(
    worker: Worker,
    decide: (record: InvoiceRecord) => Transition<InvoiceRecord>,
  ): void {
    if (this.record === undefined) return;
    this.apply(decide(this.record));
    this.hold(worker);
  }

  private hold(worker: Worker): void {
    const { record } = this;
    if (record === undefined || record.isTombstone || record.attempt === undefined) return;
    this.held.set(worker, { attemptNumber: record.attempt.number, outcome: undefined });
  }

  private charge({ by: worker, succeeds }: { by: Worker; succeeds: boolean }): void {
    const held = this.held.get(worker);
    if (held === undefined || this.record === undefined) return;
    const key = chargeKey(this.record.id, { number: held.attemptNumber });
    const first: FinalOutcome = succeeds
      ? { status: 'SUCCEEDED', providerPaymentId: key }
      : declined('card_declined', key);
    const outcome = this.provider.get(key) ?? first;
    this.provider.set(key, outcome);
    this.held.set(worker, { ...held, outcome });
  }

  private recordBy(worker: Worker): void {
    const held = this.held.get(worker);
    if (held?.outcome === undefined || this.record === undefined) return;
    const { attemptNumber, outcome } = held;
    const finished = {
      attemptNumber,
      outcome,
      paymentId: String(attemptNumber),
      defaultMethodId: undefined,
      retryDays: [3, 7, 14],
      now: this.now,
    };
    this.apply(recordResult(this.record, finished));
    this.held.delete(worker);
  }

  private void(): void {
    if (this.record === undefined) {
      const { id, subscriptionId, customerId, currency } = aDraft();
      this.record = tombstone({ id, subscriptionId, customerId, currency }).state;
      return;
    }
    try {
      this.apply(voidInvoice(this.record, { number: 'INV-000001', now: this.now }));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      expect(error.reason).toBe('PAYMENT_IN_PROGRESS');
    }
  }

  private apply({ state, commands }: Transition<InvoiceRecord>): void {
    this.record = state;
    this.resultNumbers.push(...commands.map(({ payload }) => payload.resultNumber));
    if (state.isTombstone || state.attempt === undefined) return;
    const { number, source } = state.attempt;
    const seen = this.sources.get(number) ?? new Set();
    this.sources.set(number, seen.add(JSON.stringify(source)));
  }
}

/** Every invariant that does not hold. */
function problemsOf({ record, successes, resultNumbers, sources }: World): string[] {
  const facts: [string, boolean][] = [
    ['at most one successful charge', successes <= 1],
    ['results 1, 2, 3 …', resultNumbers.every((number, index) => number === index + 1)],
    ['one source for an attempt', [...sources.values()].every(({ size }) => size === 1)],
    ['nothing charged for a void', record?.status !== 'VOID' || successes === 0],
  ];
  if (record !== undefined && !record.isTombstone) {
    const { status, number, attempt, payments } = record;
    const charges = totalOf(record) === 0n ? 0 : 1;
    facts.push(
      ['a number from OPEN on', (number === undefined) === (status === 'DRAFT')],
      ['a slot only while OPEN', attempt === undefined || status === 'OPEN'],
      ['one payment an attempt', new Set(payments.map(({ id }) => id)).size === payments.length],
      ['PAID by a charge or 0', status !== 'PAID' || successes === charges],
    );
  }
  return facts.filter(([, holds]) => !holds).map(([name]) => name);
}

test.each([2900n, 0n])(
  'an invoice of %s is charged at most once, and PAID exactly if it was charged or is 0, in any order of steps and crashes',
  (amount) => {
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 60, size: 'max' }), (turns) => {
        const world = new World(amount);
        const problems = turns.flatMap((next) => {
          world.take(next);
          return problemsOf(world);
        });
        world.settle();
        expect([...problems, ...problemsOf(world)]).toEqual([]);
        const isSettled = world.successes === 1 || amount === 0n;
        if (world.record !== undefined && world.record.status !== 'VOID') {
          expect(world.record.status === 'PAID').toBe(isSettled);
        }
      }),
      { numRuns: 2_000 },
    );
  },
);
