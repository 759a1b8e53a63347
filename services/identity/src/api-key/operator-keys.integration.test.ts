import { systemClock } from '@billing/chassis/clock';
import { testContext } from '@billing/chassis/testing';
import { KeyCreatorKind } from '@billing/proto/billing/identity/v1/identity';
import { Role } from '@billing/proto/billing/identity/v1/operator';
import { context, OperatorTests, present } from '../testing/operators';

const tests = new OperatorTests();

beforeAll(() => tests.start(systemClock));
afterAll(() => tests.stop());

describe('a deactivated operator', () => {
  test('loses all keys created by them when that is requested', async () => {
    const { organization, owner } = await tests.anOwner();
    const developer = await tests.aColleague(owner, Role.ROLE_DEVELOPER);
    const live = present(organization.live);
    const { id: environmentId, organizationId } = live;
    const within = testContext({ tenant: { organizationId, environmentId, live: true } });
    const made = async (kind: KeyCreatorKind, id: string) => {
      const request = { name: 'Key', scopes: [], expiresAt: undefined, createdBy: { kind, id } };
      return present((await tests.identity.createApiKey(request, within)).apiKey);
    };
    const own = await made(KeyCreatorKind.KEY_CREATOR_KIND_OPERATOR, developer.id);
    const child = await made(KeyCreatorKind.KEY_CREATOR_KIND_KEY, own.id);
    const other = await made(KeyCreatorKind.KEY_CREATOR_KIND_OPERATOR, owner.id);
    const request = { operatorId: developer.id, role: Role.ROLE_UNSPECIFIED, revokeKeys: true };
    const leave = (active: boolean | undefined) =>
      tests.peer.updateOperator({ ...request, sessionToken: owner.token, active }, context());
    await expect(leave(undefined)).rejects.toMatchObject({
      fields: { revokeKeys: ['Requires active: false'] },
    });
    await leave(false);
    const { apiKeys } = await tests.identity.listApiKeys({ page: 1, perPage: 10 }, within);
    const revoked = apiKeys.filter(({ revokedAt }) => revokedAt !== undefined);
    expect(revoked.map(({ id }) => id).sort()).toEqual([own.id, child.id].sort());
    expect(apiKeys.find(({ id }) => id === other.id)?.revokedAt).toBeUndefined();
    await expect(
      made(KeyCreatorKind.KEY_CREATOR_KIND_OPERATOR, developer.id),
    ).rejects.toMatchObject({ kind: 'unauthenticated' });
  });
});
