import type { Payment } from './invoice';
import { keptPayments } from './kept-payments';
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
const dropped = (payments: readonly Payment[]) => {
  const kept = keptPayments(payments);
  return payments.filter((payment) => !kept.includes(payment)).map(({ number }) => number);
};
const numbered = (count: number, of: (number: number) => Payment) =>
  Array.from({ length: count }, (_, index) => of(index + 1));

test('an invoice keeps a hundred payments', () => {
  expect(dropped(numbered(100, (number) => aFailure(number)))).toEqual([]);
});

test('failures on a payment page are dropped before those of the schedule', () => {
  const first = schedule(1, 0, { decline: 'HARD', methodId: 'own' });
  let payments: readonly Payment[] = [first, schedule(2, 1), aFailure(3, { decline: 'HARD' })];
  for (let number = 4; number <= 300; number += 1) {
    payments = keptPayments([...payments, aFailure(number)]);
  }
  expect(payments.map(({ number }) => number).slice(0, 4)).toEqual([1, 2, 3, 204]);
  expect([nextRetry(payments), isPermanentlyRefused(payments, 'own')]).toEqual([2, true]);
});

test('the latest payment is kept, because the next attempt follows its number', () => {
  const payments = [...numbered(100, (number) => schedule(number, 3)), aFailure(101)];
  expect(dropped(payments)).toEqual([1]);
});

test('a success is kept', () => {
  const paid = aFailure(1, { status: 'SUCCEEDED', failureCode: undefined, decline: undefined });
  expect(dropped([paid, ...numbered(100, (number) => aFailure(number + 1))])).toEqual([2]);
});

test('of the failures of the schedule, those of the latest date are kept longest, then hard declines', () => {
  const hard = (number: number) => schedule(number, 0, { decline: 'HARD' });
  const [latest, earlier] = [schedule(1, 2), schedule(3, 1)];
  expect(dropped([latest, hard(2), earlier, ...numbered(98, (index) => hard(index + 3))])).toEqual([
    3,
  ]);
  expect(dropped([latest, ...numbered(100, (index) => hard(index + 1))])).toEqual([2]);
});
