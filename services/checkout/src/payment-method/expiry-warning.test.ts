import { announcedEvents, exampleEvent } from '@billing/chassis/testing/announced-events';
import {
  expiryWarningAt,
  hasExpired,
  isCharged,
  warnOfExpiry,
  withExpiryWarned,
} from './expiry-warning';
import type { Payer, PaymentMethod } from './payment-method';
import { payerDefinition, paymentMethodDefinition } from './store';

const usedAt = new Date('2026-01-01T00:00:00.000Z');
const customerId = '0197a000-0000-7000-8000-000000000003';
const method: PaymentMethod = {
  id: '0197a000-0000-7000-8000-0000000000a1',
  ...{ customerId, provider: 'sandbox', providerMethodId: 'pm_1', brand: 'visa', last4: '4242' },
  expiry: { month: 5, year: 2026 },
  ...{ usedAt, savedAt: usedAt },
};
const payer: Payer = {
  id: '0197a000-0000-7000-8000-000000000009',
  ...{ customerId, usedAt, savedAt: usedAt },
  ...{ defaultMethodId: method.id, methodIds: [method.id, 'other'], removedIds: [] },
};

describe('the warning of a method that expires', () => {
  test.each([
    ['05/26', { month: 5, year: 2026 }, '2026-05-02T00:00:00.000Z'],
    ['12/26', { month: 12, year: 2026 }, '2026-12-02T00:00:00.000Z'],
    ['02/28', { month: 2, year: 2028 }, '2028-01-31T00:00:00.000Z'],
  ])('of a card %s is due 30 days before the end of its month', (_card, expiry, at) => {
    expect(expiryWarningAt({ ...method, expiry })?.toISOString()).toBe(at);
    expect(paymentMethodDefinition.dueAt?.({ ...method, expiry })).toEqual({
      at: new Date(at),
      workClass: 'COLLECTION',
    });
  });

  test('is none without expiry, after it was decided, and for a card that was saved later', () => {
    const at = new Date('2026-05-02T00:00:00.000Z');
    const later = (ms: number) => ({ ...method, usedAt: new Date(at.getTime() + ms) });
    expect(expiryWarningAt({ ...method, expiry: undefined })).toBeUndefined();
    expect(expiryWarningAt(withExpiryWarned(method).state)).toBeUndefined();
    expect(expiryWarningAt(later(1))).toBeUndefined();
    expect(expiryWarningAt(later(0))).toEqual(at);
  });

  test('comes too late from the end of the month on', () => {
    const june = new Date('2026-06-01T00:00:00.000Z');
    expect(hasExpired(method, june)).toBe(true);
    expect(hasExpired(method, new Date(june.getTime() - 1))).toBe(false);
  });

  test('is announced as payment-method-expiring.json has it, once', () => {
    const transition = warnOfExpiry(payer, method);
    const at = new Date('2026-05-02T00:00:00.000Z');
    const write = { service: 'checkout', before: payer, transition, at, sequence: 2 };
    expect(announcedEvents(payerDefinition, write)).toEqual([
      exampleEvent('payment-method-expiring'),
    ]);
    expect(warnOfExpiry(transition.state, method).events).toEqual([]);
  });

  test('is not announced for a method that is not the customer’s any more', () => {
    expect(warnOfExpiry({ ...payer, methodIds: ['other'] }, method).events).toEqual([]);
  });
});

describe('a method is charged', () => {
  const first = method.id;
  test.each([
    ['as the default of a subscription', first, ['s1'], [], true],
    ['as the own method of a subscription', 'other', ['s1'], [['s1', 'other']], true],
    ['never as the default where each has its own', first, ['s1'], [['s1', 'other']], false],
    ['as the default of another', first, ['s1', 's2'], [['s1', 'other']], true],
    ['never as the own method of an ended subscription', 'other', ['s1'], [['s2', 'other']], false],
    ['as the default where the own method was removed', first, ['s1'], [['s1', 'gone']], true],
    ['never without subscriptions', first, [], [], false],
    ['never if it is not listed', 'unlisted', ['s1'], [['s1', 'unlisted']], false],
  ] as const)('%s', (_name, id, subscriptionIds, given, expected) => {
    const own = given.map(([subscription, methodId]) => ({ id: subscription, methodId }));
    const charged = { subscriptionIds, own, payer: { ...payer, removedIds: ['gone'] } };
    expect(isCharged(id, charged)).toBe(expected);
  });
});
