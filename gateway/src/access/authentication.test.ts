import { ClockKind, EnvironmentKind } from '@billing/proto/billing/identity/v1/identity';
import { DomainError } from '@billing/kernel/domain-error';
import { checkScope } from './scope';
import { Authentication } from './authentication';

const start = new Date('2026-01-01T00:00:00Z');
const call = {} as Parameters<Authentication['authenticate']>[1];

function anAuthentication(expiresAt?: Date) {
  const asked: string[] = [];
  let now = start;
  const authentication = new Authentication(
    {
      authenticate: ({ key }) => {
        asked.push(key);
        if (key !== 'good') {
          return Promise.reject(new DomainError('unauthenticated', 'INVALID_API_KEY', 'No'));
        }
        const environment = {
          id: 'e',
          organizationId: 'o',
          kind: EnvironmentKind.ENVIRONMENT_KIND_SANDBOX,
          name: '',
          clock: ClockKind.CLOCK_KIND_MANUAL,
          now: start,
          createdAt: start,
          version: 1n,
          deletesAt: undefined,
        };
        return Promise.resolve({ environment, apiKeyId: 'k', scopes: [], expiresAt });
      },
    },
    { now: () => now },
  );
  const passMs = (ms: number) => (now = new Date(now.getTime() + ms));
  return { authentication, asked, passMs };
}

describe('authentication', () => {
  test.each([undefined, '', 'good', 'Basic good', 'Bearer', 'Bearer bad', 'Bearer good more'])(
    'refuses the header %j with the same words',
    async (header) => {
      const { authentication } = anAuthentication();
      await expect(authentication.authenticate(header, call)).rejects.toThrow(
        'Invalid or expired API key',
      );
    },
  );

  test('a cached key expires after four seconds, so that a revocation takes effect within five', async () => {
    const { authentication, asked, passMs } = anAuthentication();
    await authentication.authenticate('Bearer good', call);
    passMs(3_999);
    await authentication.authenticate('Bearer good', call);
    expect(asked).toHaveLength(1);
    passMs(1);
    await authentication.authenticate('Bearer good', call);
    expect(asked).toHaveLength(2);
  });

  test('keys of a deleted environment are looked up again, even if a lookup was in flight', async () => {
    const { authentication, asked } = anAuthentication();
    const use = () => authentication.authenticate('Bearer good', call);
    await use();
    authentication.forgetEnvironment('another');
    await use();
    expect(asked).toHaveLength(1);
    authentication.forgetEnvironment('e');
    const asking = use();
    authentication.forgetEnvironment('e');
    await asking;
    await use();
    expect(asked).toHaveLength(3);
  });

  test('a refused key is cached, too', async () => {
    const { authentication, asked } = anAuthentication();
    for (const _ of [1, 2]) {
      await expect(authentication.authenticate('Bearer bad', call)).rejects.toThrow(DomainError);
    }
    expect(asked).toEqual(['bad']);
  });

  test('a key is refused from the instant it expires, even if cached', async () => {
    const { authentication, passMs } = anAuthentication(new Date(start.getTime() + 1_000));
    await authentication.authenticate('Bearer good', call);
    passMs(1_000);
    await expect(authentication.authenticate('Bearer good', call)).rejects.toThrow(DomainError);
  });
});

describe('a scope', () => {
  test.each([
    [['*'], 'POST', true],
    [[], 'GET', false],
    [['customers:read'], 'GET', true],
    [['customers:read'], 'HEAD', true],
    [['customers:read'], 'POST', false],
    [['customers:write'], 'DELETE', true],
    [['customers:write'], 'GET', false],
    [['products:read'], 'GET', false],
  ])('%j allows %s: %s', (scopes, method, isAllowed) => {
    const check = () => {
      checkScope(scopes, { method, segment: 'customers' });
    };
    if (isAllowed) expect(check).not.toThrow();
    else expect(check).toThrow('Insufficient permissions');
  });
});
