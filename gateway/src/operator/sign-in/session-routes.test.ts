import { DomainError } from '@billing/kernel/domain-error';
import { Role } from '@billing/proto/billing/identity/v1/operator';
import type { ApiAnswer } from '../../http/answer';
import type { OpenRequest, OperatorDependencies } from '../route/route';
import { operatorRoutes } from '../operator-routes';
import { accountRoutes } from './account-routes';
import { resetLinkRoutes } from './reset-link-routes';
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

describe('a wrong body', () => {
  const neverCalled = new Proxy({}, { get: () => () => Promise.reject(new Error('called')) });
  const site = { peers: { operator: neverCalled } } as unknown as OperatorDependencies;
  const all = [...sessionRoutes, ...operatorRoutes, ...accountRoutes, ...resetLinkRoutes];

  async function refusalOf(call: string, body: object): Promise<unknown> {
    const [method, path] = call.split(' ');
    const route = all.find((one) => one.method === method && one.path === path);
    const request = { params: {}, query: {}, body, call: {}, session: 's', origin: {} };
    const handle = route!.handle as (
      request: unknown,
      site: OperatorDependencies,
    ) => Promise<ApiAnswer>;
    return handle(request, site).catch((thrown: unknown) => thrown);
  }

  test.each([
    ['POST /operators', { email: 'x', role: 1 }],
    ['POST /invitations/accept', { token: 1, email: 'x', name: '', password: 'short' }],
    ['POST /invitations/accept', { email: 'x', name: 1, token: 1, password: 1 }],
    ['POST /reset-links/use', { token: 1, password: 'short' }],
    ['PUT /password', { currentPassword: 1, newPassword: 'short' }],
    ['PUT /operators/me/email', { email: 'x', password: 1, code: 1 }],
    ['PATCH /operators/me', { name: '' }],
  ])('of %s is refused with all of its problems: %j', async (call, body) => {
    const { fields } = (await refusalOf(call, body)) as { fields?: object };
    expect(Object.keys(fields ?? {}).sort()).toEqual(Object.keys(body).sort());
  });

  test('leaves a password to identity that an organization may not use', async () => {
    const sound = { token: 't', email: 'a@b.co', name: 'Ada', password: 'short' };
    const accepting = (changes: object) =>
      refusalOf('POST /invitations/accept', { ...sound, ...changes });
    expect(await accepting({})).toEqual(new Error('called'));
    const { fields } = (await accepting({ name: '', password: '' })) as { fields: object };
    expect(Object.keys(fields)).toEqual(['name']);
  });
});
