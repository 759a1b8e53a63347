import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import { testContext } from '@billing/chassis/testing';
import { DomainError } from '@billing/kernel/domain-error';
import type { Logger } from '@billing/chassis/logging';
import type { Peers } from '../../peer/peers';
import type { ApiRequest } from '../input/request';
import { portalSessionRoutes } from './portal-sessions';

const session = {
  sessionId: '0190a000-0000-7000-8000-000000000001',
  url: 'https://pay.example/portal/sign-in/secret',
  expiresAt: new Date('2026-01-05T13:00:00.000Z'),
};
const customerId = '0190a000-0000-7000-8000-000000000002';

/** Creates a portal session with a mail, in a sandbox whose notifier answers as given. */
async function createSession(sendPortalLink: () => Promise<unknown>) {
  const [route] = portalSessionRoutes;
  const logged: string[] = [];
  const peers = {
    portal: { createPortalSession: () => Promise.resolve(session) },
    mail: { sendPortalLink },
  } as unknown as Peers;
  const logger = {
    warn: (_facts: unknown, message: string) => logged.push(message),
  } as unknown as Logger;
  const request = { params: {}, query: {}, body: { customerId, sendEmail: true } };
  const context = testContext({ now: new Date('2026-01-05T12:00:00.000Z') });
  const answer = await route!.handle({ ...request, context } as unknown as ApiRequest, peers, {
    logger,
  });
  return { answer, logged };
}

const answered = {
  status: 201,
  body: {
    sessionId: session.sessionId,
    url: session.url,
    expiresAt: '2026-01-05T13:00:00.000Z',
  },
};

test.each<[string, Error]>([
  ['the notifier is away', new DomainError('unavailable', 'UNAVAILABLE', 'Service unavailable')],
  ['the notifier does not answer in time', new DeadlineExceededError()],
  ['the notifier fails', new Error('Failed')],
])('a portal session is created although %s', async (_case, failure) => {
  const { answer, logged } = await createSession(() => Promise.reject(failure));
  expect(answer).toMatchObject(answered);
  expect(logged).toEqual(['sign-in link not mailed']);
});

test('a portal session is created and its link is mailed', async () => {
  const mailed: unknown[] = [];
  const { answer, logged } = await createSession((...[link]: unknown[]) => {
    mailed.push(link);
    return Promise.resolve({});
  });
  expect(answer).toMatchObject(answered);
  const { sessionId, url, expiresAt } = session;
  expect(mailed).toEqual([{ customerId, sessionId, url, expiresAt }]);
  expect(logged).toEqual([]);
});
