import { eventually, testTenant } from '@billing/chassis/testing';
import type { PlacedEntry } from '../feed/feed-store';
import { defaultEmailSettings } from '../mail-settings/email-settings';
import type { Message } from '../message/message-store';
import { MailMaker, type MailMakerDependencies } from './mail-maker-worker';

const batch = 100;

/** A maker of environments whose feeds have this many entries, and the environments as it reads. */
function makerOf(
  newest: number,
  {
    type = 'product.created',
    messages = new Map<string, Message>(),
    findAll = () => Promise.resolve(messages),
    onError = (): unknown => undefined,
  }: {
    readonly type?: string;
    readonly messages?: Map<string, Message>;
    readonly findAll?: MailMakerDependencies['messages']['findAll'];
    readonly onError?: (facts: unknown) => unknown;
  } = {},
): { maker: MailMaker; reads: string[] } {
  const reads: string[] = [];
  const positions = new Map<string, number>();
  const dependencies: Partial<MailMakerDependencies> = {
    feed: {
      readAfter: (environmentId, position, limit) => {
        reads.push(environmentId);
        const length = Math.min(limit, newest - position);
        const entries = Array.from({ length }, (_, index) => ({
          position: position + index + 1,
          type,
          messageId: 'event',
        }));
        return Promise.resolve(entries as unknown as PlacedEntry[]);
      },
      firstPosition: () => Promise.resolve(1),
      lastPosition: () => Promise.resolve(newest),
      environments: () => {
        throw new Error('Not asked for');
      },
    },
    messages: { findAll },
    settings: {
      read: () => Promise.resolve({ state: defaultEmailSettings('environment') }),
    } as unknown as MailMakerDependencies['settings'],
    clock: { now: () => new Date() },
    logger: { error: onError } as unknown as MailMakerDependencies['logger'],
    positions: {
      find: (environmentId) => Promise.resolve(positions.get(environmentId) ?? 0),
      moveTo: (environmentId, position) => {
        positions.set(environmentId, position);
        return Promise.resolve();
      },
    },
    isDeleted: () => false,
    openedAt: () => Promise.resolve(undefined),
  };
  return { maker: new MailMaker(dependencies as MailMakerDependencies), reads };
}

test('environments with long feeds do not keep another one waiting', async () => {
  const { maker, reads } = makerOf(5 * batch - 1);
  const sandboxes = ['a', 'b', 'c', 'd'];
  for (const environmentId of [...sandboxes, 'live']) maker.wake(environmentId);
  await eventually(() => {
    expect(reads).toHaveLength(5 * 5);
  });
  // Each sandbox has had one turn, or its second one has begun.
  expect(reads.indexOf('live')).toBeLessThan(2 * sandboxes.length);
  await maker.stop();
});

test('concurrent calls wait for the same work until all mails of an environment are made', async () => {
  const { maker, reads } = makerOf(5 * batch - 1);
  const calls = Array.from({ length: 20 }, () => maker.settle('a'));
  expect(await Promise.all(calls)).toEqual(calls.map(() => 0));
  // Each call may cause one more look.
  expect(reads.length).toBeLessThan(2 * 5);
  await maker.stop();
});

test('a call that waits for mails returns how many entries are left', async () => {
  const { maker } = makerOf(7, {
    type: 'invoice.created',
    findAll: () => new Promise<never>(() => undefined),
  });
  expect(await maker.settle('a')).toBe(7);
});

test('an event that cannot be read raises an alarm, and the next ones are read', async () => {
  const alarms: unknown[] = [];
  const message = { _id: 'event', tenant: testTenant(), body: '{', acceptedAt: new Date() };
  const { maker, reads } = makerOf(1, {
    type: 'invoice.created',
    messages: new Map([['event', message as unknown as Message]]),
    onError: (facts) => alarms.push(facts),
  });
  expect(await maker.settle('a')).toBe(0);
  expect(alarms).toMatchObject([{ alarm: 'mail_unrendered', webhookEventId: 'event' }]);
  expect(reads).toHaveLength(1);
});
