import { DomainError } from '@billing/kernel/domain-error';
import { Role } from '@billing/proto/billing/identity/v1/operator';
import type { ApiAnswer } from '../../http/answer';
import type { OpenRequest, OperatorDependencies } from '../route/route';
import { sessionRoutes } from './session-routes';

const operator = {
  id: '0190a000-0000-7000-8000-000000000001',
  email: 'ada@example.com',
  name: 'Ada',
  role: Role.ROLE_DEVELOPER,
  createdAt: new Date('2026-01-05T12:00:00.000Z'),
};
const unavailable = new DomainError('unavailable', 'UNAVAILABLE', 'Service unavailable');

/** Accepts an invitation, with the answer of identity about the new session. */
async function accept(signedIn: () => Promise<object>) {
  const route = sessionRoutes.find(({ path }) => path === '/invitations/accept');
  const session = { token: 't', expiresAt: new Date('2026-01-06T12:00:00.000Z') };
  const call = { now: operator.createdAt };
  const site = {
    peers: {
      operator: { acceptInvitation: () => Promise.resolve({ operator, session }) },
    },
    operatorAccess: { signedIn, siteUrl: 'https://billing.example' },
    logger: { warn: () => undefined },
  } as unknown as OperatorDependencies;
  const body = { token: 'token', email: operator.email, name: 'Ada', password: 'long password' };
  const request = { params: {}, query: {}, body, call, session: undefined, origin: {} };
  const handle = route!.handle as (
    request: OpenRequest,
    site: OperatorDependencies,
  ) => Promise<ApiAnswer>;
  return handle(request as unknown as OpenRequest, site);
}

test('an invitation that is accepted while no session can be opened is answered 200', async () => {
  const answer = await accept(() => Promise.reject(unavailable));
  expect(answer).toMatchObject({
    status: 200,
    body: { operator: { id: operator.id }, expiresAt: null },
  });
  expect(answer.headers).toEqual({});
});

test('a refusal of the new session is returned', async () => {
  const refusal = new DomainError('unauthenticated', 'INVALID_SESSION', 'Not signed in');
  await expect(accept(() => Promise.reject(refusal))).rejects.toBe(refusal);
});

// Identity has recorded the acceptance.
test('an acceptance opens a session without another audit entry', async () => {
  const organization = { organizationId: 'o', organizationName: 'Org', signInRules: {} };
  const answer = await accept(() => Promise.resolve(organization));
  expect(answer.status).toBe(200);
  expect(answer.headers?.['Set-Cookie']).toMatch(/^\S*operator=t;/);
});
