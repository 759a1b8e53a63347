import { announcedEvents, exampleEvent } from '@billing/chassis/testing/announced-events';
import type { Transition } from '@billing/kernel/transition';
import { UnknownMethodsError, withMethodEvents } from './announcement';
import {
  keep,
  keepUnpaid,
  newPayer,
  type Payer,
  type PaymentMethod,
  remove,
} from './payment-method';
import { payerDefinition } from './store';

const usedAt = new Date('2026-01-01T00:00:00.000Z');
const later = new Date('2026-02-01T00:00:00.000Z');
const customerId = '0197a000-0000-7000-8000-000000000003';

function aMethod(digit: number): PaymentMethod {
  return {
    id: `0197a000-0000-7000-8000-0000000000a${String(digit)}`,
    ...{ customerId, provider: 'sandbox', providerMethodId: `pm_${String(digit)}`, brand: 'visa' },
    last4: '4242',
    expiry: { month: 5, year: 2030 },
    ...{ usedAt, savedAt: usedAt },
  };
}

const [first, second] = [aMethod(1), aMethod(2)];
const methods = new Map([first, second].map((method) => [method.id, method]));
const useOf = ({ id: methodId }: PaymentMethod, at = usedAt) => {
  return { methodId, customerId, usedAt: at, savedAt: at };
};
const created = newPayer('0197a000-0000-7000-8000-000000000009', useOf(first));
const { state: payer } = created;
const added = keepUnpaid(payer, useOf(second, later));
const promoted = keep(added.state, useOf(second, later), { asDefault: true });

function eventsOf(before: Payer | undefined, transition: Transition<Payer>) {
  return withMethodEvents(before, transition, methods).events.map(({ type, data }) => {
    const { method, isDefault } = data as { method: PaymentMethod; isDefault: boolean };
    return [type.slice('payment_method.'.length), method.id.slice(-2), isDefault];
  });
}

test.each([
  { name: 'added', before: payer, decided: added, sequence: 2 },
  { name: 'updated', before: added.state, decided: promoted, sequence: 3 },
  {
    name: 'removed',
    before: promoted.state,
    decided: remove(promoted.state, first.id, { isCharged: false }),
    sequence: 4,
  },
])(
  'the event of payment-method-$name.json is announced as the file has it',
  ({ name, before, decided, sequence }) => {
    const transition = withMethodEvents(before, decided, methods);
    const write = { service: 'checkout', before, transition, at: later, sequence };
    expect(announcedEvents(payerDefinition, write)).toEqual([
      exampleEvent(`payment-method-${name}`),
    ]);
  },
);

test('a method is added, made the default and removed once each', () => {
  expect(eventsOf(undefined, created)).toEqual([['added', 'a1', true]]);
  expect(eventsOf(payer, added)).toEqual([['added', 'a2', false]]);
  expect(eventsOf(added.state, promoted)).toEqual([['updated', 'a2', true]]);
  expect(eventsOf(promoted.state, { ...promoted, state: promoted.state })).toEqual([]);
  const last = remove(payer, first.id, { isCharged: false });
  expect(eventsOf(payer, last)).toEqual([['removed', 'a1', true]]);
});

test('a new method that becomes the default at once is added as the default', () => {
  const transition = keep(payer, useOf(second, later), { asDefault: true });
  expect(eventsOf(payer, transition)).toEqual([['added', 'a2', true]]);
});

test('without the details of a changed method there is no decision', () => {
  const ids = Array.from({ length: 20 }, (_, index) => `m${String(index)}`);
  const full = { ...payer, defaultMethodId: 'm19', methodIds: ids };
  const transition = keepUnpaid(full, useOf(second, later));
  const unknown = new UnknownMethodsError(['m0']);
  expect(() => withMethodEvents(full, transition, methods)).toThrow(unknown);
});
