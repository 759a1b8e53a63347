import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { testContext, testTenant } from '@billing/chassis/testing';
import type { Email } from './email';
import { MailSender, type MailSenderOptions } from './mail-sender-worker';

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
  const options: unknown = {
    smtp: undefined,
    connectionsMax: 5,
    clock: { now: () => now },
    logger: { error: log, warn: log, info: log },
  };
  const sender = new MailSender(options as MailSenderOptions);
  const sending = sender.send(
    { mails, id: 'mail' },
    testContext({ tenant: testTenant({ live: true }) }),
  );
  // Ends the wait of a mail for a server.
  setTimeout(() => void sender.stop(0), 50);
  await sending;
  return { email, logged };
}

test('an attempt that belongs to no stored mail waits for a connection', async () => {
  const options: unknown = { connectionsMax: 1, perSecondMax: undefined };
  const sender = new MailSender(options as MailSenderOptions);
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
