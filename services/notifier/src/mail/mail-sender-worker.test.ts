import { Socket } from 'node:net';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { testContext, testTenant } from '@billing/chassis/testing';
import type { Email } from './email';
import { MailSender, type MailSenderDependencies } from './mail-sender-worker';

const now = new Date('2026-02-10T00:00:00.000Z');
const ago = (hours: number) => new Date(now.getTime() - hours * 60 * 60_000);

const waiting: Partial<Email> = {
  id: 'mail',
  kind: 'RECEIPT',
  status: 'PENDING',
  reason: null,
  attempts: 0,
  madeAt: ago(72),
  sendAt: ago(1),
  isHandedOver: false,
};

/** Gives a mail to a process without a mail server; returns it afterwards, and the alarms. */
async function giveWithoutServer(given: Partial<Email>) {
  let email = given as Email;
  const logged: unknown[] = [];
  const log = (facts: unknown) => logged.push(facts);
  const mutate: unknown = (_id: string, decide: (state: Email) => { state: Email }) => {
    email = decide(email).state;
    return Promise.resolve({ state: email });
  };
  const mails = { within: () => ({ mutate }) } as unknown as AggregateCollection<Email>;
  const dependencies: unknown = {
    smtp: undefined,
    connectionsMax: 5,
    clock: { now: () => now },
    logger: { error: log, warn: log, info: log },
  };
  const sender = new MailSender(dependencies as MailSenderDependencies);
  const sending = sender.send(
    { mails, id: 'mail' },
    testContext({ tenant: testTenant({ live: true }) }),
  );
  // Ends the wait of a mail for a server.
  setTimeout(() => void sender.stop(0), 50);
  await sending;
  return { email, logged };
}

test('a thousand mails of a sandbox are given to no server', async () => {
  const connecting = jest.spyOn(Socket.prototype, 'connect');
  const dependencies: unknown = {
    smtp: { server: { host: '127.0.0.1', port: 25, isSecure: false } },
    connectionsMax: 5,
    clock: { now: () => now },
  };
  const sender = new MailSender(dependencies as MailSenderDependencies);
  const touched = jest.fn();
  const mails = { within: touched } as unknown as AggregateCollection<Email>;
  const context = testContext({ tenant: testTenant() });
  const ids = Array.from({ length: 1_000 }, (_, index) => `mail-${String(index)}`);
  await Promise.all(ids.map((id) => sender.send({ mails, id }, context)));
  await sender.stop(0);
  expect(connecting).not.toHaveBeenCalled();
  expect(touched).not.toHaveBeenCalled();
  connecting.mockRestore();
});

test('an attempt that belongs to no stored mail waits for a connection', async () => {
  const dependencies: unknown = { connectionsMax: 1, perSecondMax: undefined };
  const sender = new MailSender(dependencies as MailSenderDependencies);
  const { signal } = new AbortController();
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  const begun: string[] = [];
  const attempt = (name: string) =>
    sender.attemptOnce(() => {
      begun.push(name);
      return released;
    }, signal);
  const attempts = [attempt('first'), attempt('second')];
  await Promise.resolve();
  expect(begun).toEqual(['first']);
  release(undefined);
  await Promise.all(attempts);
  expect(begun).toEqual(['first', 'second']);
});

test('an attempt that belongs to no stored mail keeps the pace of all mails', async () => {
  const dependencies: unknown = {
    connectionsMax: 5,
    perSecondMax: 0.001,
    clock: { now: () => now },
  };
  const sender = new MailSender(dependencies as MailSenderDependencies);
  const waiting = new AbortController();
  const begun: string[] = [];
  const attempt = (name: string) =>
    sender.attemptOnce(async () => {
      begun.push(name);
    }, waiting.signal);
  await attempt('first');
  const second = attempt('second');
  await Promise.resolve();
  waiting.abort(new Error('Too late'));
  await expect(second).rejects.toThrow('Too late');
  expect(begun).toEqual(['first']);
});

describe('a mail without a mail server', () => {
  test('expires after three days', async () => {
    const { email, logged } = await giveWithoutServer(waiting);
    expect(email).toMatchObject({ status: 'FAILED', reason: 'expired', attempts: 0 });
    expect(logged).toMatchObject([{ alarm: 'mail_expired', emailId: 'mail', reason: 'expired' }]);
  });

  test('expires with its link, and loses its content', async () => {
    const content = { text: 'link', html: 'link', headers: [] };
    const reset = { ...waiting, madeAt: ago(1), expiresAt: now, content };
    const { email } = await giveWithoutServer({ ...reset, kind: 'PORTAL_LINK' });
    expect(email).toMatchObject({ status: 'FAILED', reason: 'expired', content: null });
  });

  test('waits until then', async () => {
    const young = { ...waiting, madeAt: ago(71) };
    const { email, logged } = await giveWithoutServer(young);
    expect(email).toEqual(young);
    expect(logged).toEqual([]);
  });

  test('that a lost sender handed over is UNKNOWN, with an alarm', async () => {
    const { email, logged } = await giveWithoutServer({
      ...waiting,
      madeAt: ago(2),
      attempts: 1,
      isHandedOver: true,
    });
    expect(email).toMatchObject({ status: 'UNKNOWN', reason: 'outcome_unknown' });
    expect(logged).toMatchObject([{ alarm: 'mail_unknown', emailId: 'mail' }]);
  });

  test('that another process has claimed is left to it', async () => {
    const claimed = { ...waiting, sendAt: new Date(now.getTime() + 1) };
    expect((await giveWithoutServer(claimed)).email).toEqual(claimed);
  });
});
