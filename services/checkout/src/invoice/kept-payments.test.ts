import type { Payment } from './invoice';
import { keptPayments, shownPayments } from './kept-payments';
import { nextRetry } from './method-choice';
import { isPermanentlyRefused } from './dunning';

const at = new Date('2026-01-05T12:00:00.000Z');

function aFailure(number: number, payment: Partial<Payment> = {}): Payment {
  return {
    id: String(number),
    number,
    amount: 2900n,
    provider: 'sandbox',
    providerPaymentId: undefined,
    status: 'FAILED',
    failureCode: 'card_declined',
    decline: 'SOFT',
    methodId: undefined,
    origin: 'PAYER',
    retry: undefined,
    callId: undefined,
    recorded: undefined,
    overpayment: 0n,
    createdAt: at,
    endedAt: at,
    ...payment,
  };
}

const schedule = (number: number, retry: number, payment: Partial<Payment> = {}) =>
  aFailure(number, { origin: 'COLLECTION', retry, ...payment });
const numbersOf = (payments: readonly Payment[]) => payments.map(({ number }) => number);
const numbered = (count: number, of: (number: number) => Payment) =>
  Array.from({ length: count }, (_, index) => of(index + 1));

/** Payments that an invoice stores after one after the other was added. */
const added = (payments: readonly Payment[]) =>
  payments.reduce<readonly Payment[]>((kept, payment) => keptPayments([...kept, payment]), []);

test('an invoice shows a hundred payments', () => {
  const payments = numbered(100, (number) => aFailure(number));
  expect([shownPayments(payments), keptPayments(payments)]).toEqual([payments, payments]);
});

test('with a running attempt an invoice shows 99 payments, and stores all', () => {
  const payments = numbered(100, (number) => aFailure(number));
  expect(shownPayments(payments, { isRunning: true })).toEqual(payments.slice(1));
  expect(keptPayments(payments)).toEqual(payments);
});

test('beyond a hundred payments the oldest failure is left out, also one of a scheduled charge', () => {
  const first = schedule(1, 0, { decline: 'HARD', methodId: 'own' });
  const early = [first, schedule(2, 1), aFailure(3, { decline: 'HARD' })];
  const payments = added([...early, ...numbered(297, (index) => aFailure(index + 3))]);
  expect(numbersOf(shownPayments(payments))).toEqual(
    numbered(100, (index) => aFailure(index + 200)).map(({ number }) => number),
  );
});

test('a failure that dunning needs is stored after it is left out', () => {
  const first = schedule(1, 0, { decline: 'HARD', methodId: 'own' });
  const early = [first, schedule(2, 1), aFailure(3, { decline: 'HARD' })];
  const payments = added([...early, ...numbered(297, (index) => aFailure(index + 3))]);
  expect(numbersOf(payments).slice(0, 4)).toEqual([1, 2, 3, 201]);
  expect([nextRetry(payments), isPermanentlyRefused(payments, 'own')]).toEqual([2, true]);
});

test('the latest payment is shown, because the next attempt follows its number', () => {
  const success = (number: number) => aFailure(number, { status: 'SUCCEEDED', decline: undefined });
  const payments = [...numbered(100, success), aFailure(101)];
  expect(numbersOf(shownPayments(payments)).at(-1)).toBe(101);
});

test('a success is shown', () => {
  const paid = aFailure(1, { status: 'SUCCEEDED', failureCode: undefined, decline: undefined });
  const payments = [paid, ...numbered(100, (number) => aFailure(number + 1))];
  expect(numbersOf(shownPayments(payments)).slice(0, 2)).toEqual([1, 3]);
});

test('a failure that turns out to be a success is shown again', () => {
  const payments = added(numbered(150, (number) => schedule(number, 0)));
  const late = payments.map((one) =>
    one.number === 1 ? { ...one, status: 'SUCCEEDED' as const } : one,
  );
  expect(numbersOf(shownPayments(late)).slice(0, 2)).toEqual([1, 52]);
});

test('of the failures that are left out, those of the latest date are stored longest, then hard declines', () => {
  const hard = (number: number) => schedule(number, 0, { decline: 'HARD' });
  const [latest, earlier] = [schedule(1, 2), schedule(3, 1)];
  const hidden = [latest, hard(2), earlier, ...numbered(98, (index) => hard(index + 3))];
  const payments = [...hidden, ...numbered(100, (index) => aFailure(index + 101))];
  const kept = numbersOf(keptPayments(payments));
  expect(kept.slice(0, 3)).toEqual([1, 2, 4]);
  expect(kept).toHaveLength(200);
});
