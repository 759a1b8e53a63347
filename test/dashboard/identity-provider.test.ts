import { systemClock } from '@billing/chassis/clock';
import { createLogger } from '@billing/chassis/logging';
import { eventually } from '@billing/chassis/testing';
import { IdentityProvider } from '@billing/gateway/access/identity-provider';
import { addressOn, type ProviderBehavior, ProviderServer } from './identity-provider';

let provider: ProviderServer;

beforeAll(async () => {
  provider = await ProviderServer.start();
});

afterAll(async () => {
  await provider.stop();
});

const proof = { state: 's', nonce: 'n', codeVerifier: 'v'.repeat(43) };
const unavailable = expect.objectContaining({ status: 503, code: 'provider_unavailable' });
const aProvider = (issuer = provider.issuer) =>
  new IdentityProvider(
    { issuer, clientId: provider.clientId, clientSecret: provider.clientSecret, label: 'ID' },
    {
      clock: systemClock,
      logger: createLogger({ service: 'gateway', level: 'silent' }),
      timeoutMs: 5_000,
    },
  );
const description = '/.well-known/openid-configuration';

test.each<[string, ProviderBehavior]>([
  ['fails', { failing: [description] }],
  ['says nothing', { silent: [description] }],
])('a provider that %s is asked again the next time', async (_case, behavior) => {
  const one = aProvider();
  provider.behavior = behavior;
  const asked = Promise.all([1, 2].map(() => one.address(proof, 'http://127.0.0.1/back')));
  await expect(asked).rejects.toEqual(unavailable);
  provider.behavior = {};
  const address = await eventually(() => one.address(proof, 'http://127.0.0.1/back'));
  expect(address).toContain('/authorize?');
});

test('an unreachable provider is unavailable, and so is one with a different issuer', async () => {
  const { port } = new URL(provider.issuer);
  for (const issuer of ['http://127.0.0.1:1', `http://127.0.0.1:${port}`]) {
    await expect(aProvider(issuer).address(proof, 'http://x/back')).rejects.toEqual(unavailable);
  }
});

test.each(['/token', '/jwks', '/userinfo'])(
  'a provider that hangs at %s is abandoned after a timeout',
  async (path) => {
    const one = aProvider();
    const back = 'http://127.0.0.1/back';
    const behavior = { showsLinkOnly: true, hasEmailInUserinfoOnly: true };
    provider.behavior = behavior;
    const sent = await fetch(await eventually(() => one.address(proof, back)));
    const returned = new URL(addressOn(await sent.text()));
    provider.behavior = { ...behavior, silent: [path] };
    await expect(one.authenticate(returned, proof)).rejects.toEqual(unavailable);
  },
);
