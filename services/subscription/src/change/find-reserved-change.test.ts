import { testContext } from '@billing/chassis/testing';
import { aSubscription } from '../testing/fixtures';
import type { Subscription } from '../subscription/subscription';
import type { SubscriptionChange } from '../subscription/subscription-change';
import { isStoredElseReleased, nextRound } from './find-reserved-change';

const changeId = 'change';
const redemption = { discountId: 'discount', holderId: 'holder' };
const reserved = {
  ...{ subscriptionId: 'subscription', changeId, round: 1 },
  ...{ redemption, isHeldAtCheckout: true },
};
const freed = [redemption, { changeId, round: 1, keepBalance: false }];
const context = testContext();

describe('after an error of the write that stores a change', () => {
  test('what it has reserved is released if the change is not stored, and its round refused', async () => {
    const { isStored, released, present } = await afterError({ storedRound: null });
    expect(isStored).toBe(false);
    expect(released).toEqual(freed);
    expect(present.changes.refused).toMatchObject([{ changeId, round: 1 }]);
    expect(nextRound(present, changeId)).toBe(2);
    expect(nextRound(present, 'other')).toBe(1);
  });

  test('nothing is released if the change is stored with its round', async () => {
    const { isStored, released, present } = await afterError({ storedRound: 1 });
    expect(isStored).toBe(true);
    expect(released).toEqual([]);
    expect(present.changes.refused).toEqual([]);
  });

  test('the round is released if the change is stored with another one', async () => {
    const { isStored, released } = await afterError({ storedRound: 2 });
    expect(isStored).toBe(false);
    expect(released).toEqual(freed);
  });

  test('nothing is released if the change is stored right before the refusal', async () => {
    const { isStored, released } = await afterError({ storedRound: null, storedLate: 1 });
    expect(isStored).toBe(true);
    expect(released).toEqual([]);
  });

  test.each([
    ['the redemption', { isHeldAtCheckout: false }, [freed[0]]],
    ['the credit', { redemption: null }, [freed[1]]],
  ])('%s alone is released where nothing else was reserved', async (_name, held, expected) => {
    expect((await afterError({ storedRound: null, held })).released).toEqual(expected);
  });

  test.each([
    ['discount', [freed[1]]],
    ['checkout', [freed[0]]],
  ] as const)('%s that is down does not keep the rest reserved', async (down, expected) => {
    const { isStored, released, warned } = await afterError({ storedRound: null, down });
    expect(isStored).toBe(false);
    expect(released).toEqual(expected);
    expect(warned).toBe(1);
  });

  test('nothing is released while it is unknown whether the change is stored', async () => {
    const { isStored, released, warned } = await afterError({ storedRound: null, isAway: true });
    expect(isStored).toBe(false);
    expect(released).toEqual([]);
    expect(warned).toBe(1);
  });
});

async function afterError({
  storedRound,
  storedLate = null,
  isAway = false,
  held = {},
  down,
}: {
  readonly storedRound: number | null;
  readonly storedLate?: number | null;
  readonly isAway?: boolean;
  readonly held?: Partial<typeof reserved> | { readonly redemption: null };
  readonly down?: 'checkout' | 'discount';
}) {
  let present = withChange(storedRound);
  const released: unknown[] = [];
  const release = (peer: 'checkout' | 'discount') => (request: unknown) => {
    if (peer === down) return Promise.reject(new Error('down'));
    released.push(request);
    return Promise.resolve({});
  };
  let warned = 0;
  const stored = () => ({ state: present, version: 1 });
  const dependencies = {
    subscriptions: {
      get: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(stored())),
      record: (_id: string, _context: unknown, next: (current: Subscription) => Subscription) => {
        if (storedLate !== null) present = withChange(storedLate);
        present = next(present);
        return Promise.resolve(stored());
      },
    },
    changes: {
      find: ({ changes: { paying } }: Subscription, id: string) =>
        Promise.resolve(paying?.id === id ? paying : undefined),
    },
    peers: {
      checkout: { releaseForChange: release('checkout') },
      discount: { releaseRedemption: release('discount') },
    },
    logger: {
      warn: () => {
        warned += 1;
      },
    },
  } as unknown as Parameters<typeof isStoredElseReleased>[2];
  const isStored = await isStoredElseReleased({ ...reserved, ...held }, context, dependencies);
  return { isStored, released, present, warned };
}

function withChange(round: number | null): Subscription {
  const subscription = aSubscription();
  if (round === null) return subscription;
  const paying = { id: changeId, reservedRound: round, status: 'PAYING' } as SubscriptionChange;
  return { ...subscription, changes: { ...subscription.changes, paying } };
}
