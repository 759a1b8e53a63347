import fc from 'fast-check';
import { dunningOutcome, dunningStepsReached } from './document/dunning-report';
import { outstandingOf, totalOf } from './invoice';
import { type ProviderAnswer, type Turn, workers, World } from '../testing/collection';
import { problemsOf } from '../testing/collection-problems';

const by = fc.constantFrom(...workers);
const methodId = fc.constantFrom('a', 'b');
const choice = {
  methodId: fc.option(methodId, { nil: undefined }),
  otherMethodIds: fc.subarray(['b', 'c']),
};
// Parts, the whole, and more than the whole.
const recorded = {
  amount: fc.option(fc.bigInt({ min: 1n, max: 4_000n }), { nil: undefined }),
  callId: fc.constantFrom('r', 's', 't', 'u'),
};
const withWorker = <Act extends 'recover' | 'record' | 'crash' | 'release'>(...acts: Act[]) =>
  fc.record({ act: fc.constantFrom(...acts), by });

// Starts are more frequent than ends, so that many attempts follow each other.
const turn: fc.Arbitrary<Turn> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('create' as const, 'void' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constantFrom('voidForCaller' as const, 'returnBalance' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constant('takeBalance' as const), isVoided: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('end' as const), writeOff: fc.boolean() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      act: fc.constantFrom('open' as const, 'wake' as const, 'newDefault' as const),
      by,
      ...choice,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant('pay' as const),
      by,
      methodId,
      callId: fc.constantFrom('u', 'v', 'w', 'x', 'y', 'z'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('receive' as const), ...recorded }) },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constant('takePayment' as const), by, ...recorded }),
  },
  { weight: 1, arbitrary: fc.constant({ act: 'writeOff' as const }) },
  { weight: 10, arbitrary: withWorker('recover', 'record', 'record') },
  { weight: 2, arbitrary: withWorker('crash', 'release') },
  {
    weight: 8,
    arbitrary: fc.record({
      act: fc.constant('charge' as const),
      by,
      providerAnswer: fc.constantFrom<ProviderAnswer>(
        'SUCCEEDS',
        'SOFT',
        'SOFT',
        'HARD',
        'CHALLENGES',
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ act: fc.constant('answer' as const), by, approved: fc.boolean() }),
  },
);

test.each([
  [2900n, 'CHARGE_AUTOMATICALLY', 0n],
  [2900n, 'SEND_INVOICE', 0n],
  [0n, 'CHARGE_AUTOMATICALLY', 0n],
  [2900n, 'CHARGE_AUTOMATICALLY', 549n],
  [2900n, 'CHARGE_AUTOMATICALLY', 5000n],
] as const)(
  'an invoice of %s (%s) with a balance of %s is charged at most once, and PAID exactly if nothing is outstanding, in any order of steps, recorded payments and crashes',
  (amount, collectionMethod, balance) => {
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 80, size: 'max' }), (turns) => {
        const world = new World(amount, collectionMethod, balance);
        const problems = turns.flatMap((next) => {
          world.take(next);
          return problemsOf(world);
        });
        world.settle();
        expect([...problems, ...problemsOf(world)]).toEqual([]);
        const { record, successes, entries } = world;
        if (record === undefined || record.isTombstone) return;
        // Once no attempt runs, the money and the invoice agree, whichever worker charged.
        expect(record.attempt).toBeUndefined();
        if (record.status !== 'VOID') {
          expect(record.status === 'PAID').toBe(outstandingOf(record) === 0n);
          expect(successes === 0 || record.status === 'PAID').toBe(true);
        }
        const { applied = 0n, returned = 0n } = entries;
        expect(applied - returned).toBe(record.balanceApplied);
      }),
      { numRuns: 2_000 },
    );
  },
);

test('the dunning steps of an invoice are reached once, in order, and never change', () => {
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 80, size: 'max' }), (turns) => {
      const world = new World(2900n, 'CHARGE_AUTOMATICALLY');
      let before: unknown[] = [];
      for (const next of turns) {
        world.take(next);
        const { record } = world;
        if (record === undefined || record.isTombstone) continue;
        const counted = dunningStepsReached(record).map((step) => [
          step,
          record.firstFailedAt,
          totalOf(record),
          step === 'FAILED' ? undefined : dunningOutcome(record),
        ]);
        expect(counted.slice(0, before.length)).toEqual(before);
        before = counted;
      }
    }),
    { numRuns: 500 },
  );
});
