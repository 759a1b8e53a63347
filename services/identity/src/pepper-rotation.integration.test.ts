import { newId } from '@billing/chassis/ids';
import { connectPeer } from '@billing/chassis/peer';
import { dropTestDatabase, dropTestStream, testContext } from '@billing/chassis/testing';
import {
  type IdentityServiceServer,
  IdentityServiceService,
} from '@billing/proto/billing/identity/v1/identity';
import { start } from './service';
import { identityTestConfiguration } from './testing/configuration';

const configuration = identityTestConfiguration();
const oldPepper = configuration.API_KEY_PEPPER;
const newPepper = 'another pepper of 32 characters and more';

afterAll(async () => {
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

/** Runs identity with these peppers during `use`. */
async function withPeppers<T>(
  peppers: { API_KEY_PEPPER: string; API_KEY_PEPPER_OLD?: string },
  use: (identity: ReturnType<typeof connect>) => Promise<T>,
): Promise<T> {
  const service = await start({ ...configuration, ...peppers });
  const identity = connect(service.address);
  try {
    return await use(identity);
  } finally {
    identity.close();
    await service.stop();
  }
}

function connect(address: string) {
  return connectPeer<IdentityServiceServer>(IdentityServiceService, {
    address,
    service: 'test',
    withoutTenant: ['ensureOrganization', 'authenticate'],
  });
}

async function makeKey(identity: ReturnType<typeof connect>): Promise<string> {
  const { organizationId, live } = await identity.ensureOrganization(
    { name: newId() },
    testContext(),
  );
  const environmentId = live?.id ?? '';
  const request = { name: 'Backend', scopes: [], expiresAt: undefined, createdBy: undefined };
  const context = testContext({ tenant: { organizationId, environmentId, live: true } });
  return (await identity.createApiKey(request, context)).key;
}

test('a pepper is replaced without ending any key that is used in between', async () => {
  const [used, unused] = await withPeppers({ API_KEY_PEPPER: oldPepper }, async (identity) => [
    await makeKey(identity),
    await makeKey(identity),
  ]);
  await expect(withPeppers({ API_KEY_PEPPER: newPepper }, () => Promise.resolve())).rejects.toThrow(
    'API_KEY_PEPPER: is not the one this data was written with',
  );

  const rotation = { API_KEY_PEPPER: newPepper, API_KEY_PEPPER_OLD: oldPepper };
  const idOf = async (identity: ReturnType<typeof connect>, key = '') =>
    (await identity.authenticate({ key }, testContext())).apiKeyId;
  const id = await withPeppers(rotation, (identity) => idOf(identity, used));

  await withPeppers({ API_KEY_PEPPER: newPepper }, async (identity) => {
    expect(await idOf(identity, used)).toBe(id);
    await expect(idOf(identity, unused)).rejects.toMatchObject({ kind: 'unauthenticated' });
    expect(await idOf(identity, await makeKey(identity))).not.toBe(id);
  });
});
