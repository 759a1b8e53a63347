import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectMongo } from '@billing/chassis/mongo';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import type { RunningService } from '@billing/chassis/service';
import { dropTestDatabase, dropTestStream, testContext } from '@billing/chassis/testing';
import {
  type IdentityServiceServer,
  IdentityServiceService,
} from '@billing/proto/billing/identity/v1/identity';
import {
  type OperatorServiceServer,
  OperatorServiceService,
  Role,
} from '@billing/proto/billing/identity/v1/operator';
import { start } from '../service';
import { identityTestConfiguration } from '../testing/configuration';

const configuration = identityTestConfiguration();
const password = 'correct horse battery';

let clockOffsetMs = 0;
const clock = { now: () => new Date(systemClock.now().getTime() + clockOffsetMs) };
let service: RunningService;
let identity: Peer<IdentityServiceServer>;
let peer: Peer<OperatorServiceServer>;

beforeAll(async () => {
  service = await start(configuration, { clock });
  const { address } = service;
  identity = connectPeer<IdentityServiceServer>(IdentityServiceService, {
    address,
    service: 'test',
    withoutTenant: ['ensureOrganization'],
  });
  const calls = Object.keys(OperatorServiceService) as (keyof typeof OperatorServiceService)[];
  peer = connectPeer<OperatorServiceServer>(OperatorServiceService, {
    address,
    service: 'test',
    withoutTenant: calls.filter((name) => name !== 'endAuditEntry'),
  });
});

afterAll(async () => {
  identity.close();
  peer.close();
  await service.stop();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

afterEach(() => {
  clockOffsetMs = 0;
});

const context = () => testContext();
const aNetwork = () => `test-${newId()}`;
const originAt = (network: string) => ({ network, address: '192.0.2.1', userAgent: 'Test' });
const anEmail = () => `${newId()}@example.com`;

function reason(name: string): Error {
  return expect.objectContaining({ reason: name }) as Error;
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The answer lacks it');
  return value;
}

async function anOrganization() {
  return identity.ensureOrganization({ name: `Org ${newId()}` }, context());
}

async function accept(token: string, email = anEmail()) {
  const accepted = await peer.acceptInvitation(
    { token, email, name: 'Ada', password, origin: undefined, providerConfigured: false },
    context(),
  );
  return {
    email,
    id: present(accepted.operator).id,
    token: present(accepted.session).token,
    operator: present(accepted.operator),
  };
}

async function anOwner() {
  const organization = await anOrganization();
  const { organizationId } = organization;
  const { token } = await peer.inviteFirstOwner({ organizationId }, context());
  return { organization, owner: await accept(present(token)) };
}

async function aColleague(of: { token: string }, role: Role) {
  const email = anEmail();
  const { token } = await peer.inviteOperator({ sessionToken: of.token, email, role }, context());
  return accept(token, email);
}

function logIn(email: string, typed = password, network = aNetwork()) {
  const sent = { email, password: typed, providerConfigured: false };
  return peer.logIn({ ...sent, origin: originAt(network) }, context());
}

const whose = (sessionToken: string, environmentId?: string) =>
  peer.authenticateOperator({ sessionToken, environmentId }, context());

describe('the first owner', () => {
  test('joins by a link that is valid once', async () => {
    const { organization, owner } = await anOwner();
    expect(owner.operator).toMatchObject({ role: Role.ROLE_OWNER, active: true, name: 'Ada' });
    const { organizationId } = organization;
    expect(await whose(owner.token)).toMatchObject({
      organizationId,
      liveEnvironmentId: organization.live?.id,
      operator: { email: owner.email },
    });
    expect((await peer.inviteFirstOwner({ organizationId }, context())).token).toBeUndefined();
  });

  test('is created once by twenty concurrent uses of one link', async () => {
    const { organizationId } = await anOrganization();
    const token = present((await peer.inviteFirstOwner({ organizationId }, context())).token);
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => accept(token)));
    const [made, ...others] = tries.filter(({ status }) => status === 'fulfilled');
    expect([made?.status, others]).toEqual(['fulfilled', []]);
    for (const one of tries.filter((tried) => tried.status === 'rejected')) {
      expect(one.reason).toMatchObject({ reason: 'INVITATION_NOT_FOUND' });
    }
  });

  test('ends all other links of the kind', async () => {
    const { organizationId } = await anOrganization();
    const invite = async () =>
      present((await peer.inviteFirstOwner({ organizationId }, context())).token);
    const [used, left] = [await invite(), await invite()];
    await accept(used);
    for (const token of [used, left, 'x'.repeat(43), '']) {
      await expect(peer.getInvitation({ token }, context())).rejects.toThrow(
        reason('INVITATION_NOT_FOUND'),
      );
      await expect(accept(token)).rejects.toThrow(reason('INVITATION_NOT_FOUND'));
    }
  });

  test('is not invited for an unknown organization', async () => {
    await expect(peer.inviteFirstOwner({ organizationId: newId() }, context())).rejects.toThrow(
      reason('ORGANIZATION_NOT_FOUND'),
    );
  });

  test('sees all problems of refused input at once, and may retry', async () => {
    const { organizationId } = await anOrganization();
    const token = present((await peer.inviteFirstOwner({ organizationId }, context())).token);
    const input = { email: 'x', name: ' ', password: 'short' };
    const wrong = { ...input, token, origin: undefined, providerConfigured: false };
    const email = ['Invalid email'];
    await expect(peer.acceptInvitation(wrong, context())).rejects.toMatchObject({
      fields: { email, name: ['Required'], password: ['Must be at least 12 characters'] },
    });
    expect((await accept(token)).operator.role).toBe(Role.ROLE_OWNER);
  });
});

describe('signing in', () => {
  test('accepts the address in any case and the password as it is', async () => {
    const { owner } = await anOwner();
    const { session, operator } = await logIn(` ${owner.email.toUpperCase()} `);
    expect(operator).toEqual(owner.operator);
    expect(present(session).token).not.toBe(owner.token);
    expect((await whose(present(session).token)).operator?.id).toBe(owner.id);
  });

  test('fails with the same answer for all causes', async () => {
    const { owner } = await anOwner();
    for (const [email, typed] of [
      [owner.email, 'correct horse batterx'],
      [owner.email, ''],
      [anEmail(), password],
      ['no address', password],
    ] as const) {
      await expect(logIn(email, typed)).rejects.toThrow(reason('INVALID_CREDENTIALS'));
    }
  });

  test('lets one network guess fifty times over all addresses, without locking an operator out', async () => {
    const network = aNetwork();
    const { owner } = await anOwner();
    for (let guess = 0; guess < 50; guess += 1) {
      await expect(logIn(`${String(guess)}-${anEmail()}`, password, network)).rejects.toThrow(
        reason('INVALID_CREDENTIALS'),
      );
    }
    const attempt = () => logIn(owner.email, password, network);
    await expect(attempt()).rejects.toThrow(reason('TOO_MANY_LOGINS'));
    expect((await logIn(owner.email)).operator?.id).toBe(owner.id);
  });

  test('from a known network is not limited by guesses at other addresses there', async () => {
    const office = aNetwork();
    const { owner } = await anOwner();
    await logIn(owner.email, password, office);
    const guess = () => logIn(anEmail(), password, office);
    for (let tries = 0; tries < 50; tries += 1) {
      await expect(guess()).rejects.toThrow(reason('INVALID_CREDENTIALS'));
    }
    await expect(guess()).rejects.toThrow(reason('TOO_MANY_LOGINS'));
    expect((await logIn(owner.email, password, office)).operator?.id).toBe(owner.id);
  });

  const vouched = (email: string, subject: string) =>
    peer.logInByProvider(
      { email, issuer: 'https://id.example', subject, origin: undefined },
      context(),
    );

  test('by a provider needs an operator of that address, who stays bound to the first identity', async () => {
    const { owner } = await anOwner();
    const { session } = await vouched(owner.email.toUpperCase(), 'one');
    expect((await whose(present(session).token)).operator?.id).toBe(owner.id);
    expect((await vouched(owner.email, 'one')).operator?.id).toBe(owner.id);
    for (const [email, subject] of [
      [owner.email, 'two'],
      [anEmail(), 'one'],
      ['no address', 'one'],
    ] as const) {
      await expect(vouched(email, subject)).rejects.toThrow(reason('INVALID_CREDENTIALS'));
    }
    expect((await logIn(owner.email)).operator?.id).toBe(owner.id);
  });

  test('by a provider for the first time succeeds for one of two concurrent identities', async () => {
    const { email } = (await anOwner()).owner;
    const both = await Promise.allSettled([vouched(email, 'one'), vouched(email, 'two')]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test('by a provider is refused for a deactivated operator, and binds an identity again after reactivation', async () => {
    const { owner } = await anOwner();
    const { id, email } = await aColleague(owner, Role.ROLE_VIEWER);
    const request = {
      sessionToken: owner.token,
      operatorId: id,
      role: Role.ROLE_UNSPECIFIED,
      revokeKeys: false,
    };
    await vouched(email, 'one');
    await peer.updateOperator({ ...request, active: false }, context());
    await expect(vouched(email, 'one')).rejects.toThrow(reason('INVALID_CREDENTIALS'));
    await peer.updateOperator({ ...request, active: true }, context());
    expect((await vouched(email, 'two')).operator?.id).toBe(id);
    await expect(vouched(email, 'one')).rejects.toThrow(reason('INVALID_CREDENTIALS'));
  });
});

describe('a session', () => {
  const ended = reason('INVALID_SESSION');

  test('ends at a sign-out, which may be retried', async () => {
    const { owner } = await anOwner();
    const { token: sessionToken } = owner;
    await peer.logOut({ sessionToken }, context());
    await peer.logOut({ sessionToken }, context());
    await expect(whose(sessionToken)).rejects.toThrow(ended);
  });

  test('ends when it is idle, and continues while it is used', async () => {
    const { owner } = await anOwner();
    for (const hours of [11, 22]) {
      clockOffsetMs = hours * 3_600_000;
      await whose(owner.token);
    }
    clockOffsetMs = 34 * 3_600_000;
    await expect(whose(owner.token)).rejects.toThrow(ended);
  });

  test.each(['', 'x', 'x'.repeat(43), '../'.repeat(14)])(
    'with token %j does not exist',
    async (sessionToken) => {
      await expect(whose(sessionToken)).rejects.toThrow(ended);
      await peer.logOut({ sessionToken }, context());
    },
  );

  test('that changes the password continues, and all others end', async () => {
    const { owner } = await anOwner();
    const other = present((await logIn(owner.email)).session).token;
    const change = {
      sessionToken: owner.token,
      currentPassword: password,
      newPassword: 'another horse battery',
      origin: originAt(aNetwork()),
    };
    await expect(
      peer.changePassword({ ...change, currentPassword: 'wrong' }, context()),
    ).rejects.toThrow(reason('INVALID_CREDENTIALS'));
    await peer.changePassword(change, context());
    await whose(owner.token);
    await expect(whose(other)).rejects.toThrow(ended);
    await expect(logIn(owner.email)).rejects.toThrow(reason('INVALID_CREDENTIALS'));
    await logIn(owner.email, 'another horse battery');
  });

  test('opens the environments of its organization, and no other', async () => {
    const { organization, owner } = await anOwner();
    const foreign = await anOrganization();
    const wanted = {
      sessionToken: owner.token,
      search: '',
      page: 1,
      perPage: 100,
      sandboxesOnly: false,
    };
    const { environments } = await peer.listEnvironments(wanted, context());
    expect(environments.map(({ id }) => id)).toEqual([
      organization.live?.id,
      organization.sandbox?.id,
    ]);
    const { environment } = await whose(owner.token, organization.sandbox?.id);
    expect(environment?.id).toBe(organization.sandbox?.id);
    for (const id of [foreign.live?.id, foreign.sandbox?.id, newId(), 'none']) {
      await expect(whose(owner.token, id)).rejects.toThrow(reason('ENVIRONMENT_NOT_FOUND'));
    }
  });
});

describe('the operators of an organization', () => {
  test('join by invitation, each for one address', async () => {
    const { owner } = await anOwner();
    const admin = await aColleague(owner, Role.ROLE_ADMIN);
    const viewer = await aColleague(admin, Role.ROLE_VIEWER);
    const sessionToken = viewer.token;
    const { operators } = await peer.listOperators({ sessionToken }, context());
    expect(operators.map(({ email }) => email)).toEqual([owner.email, admin.email, viewer.email]);

    const email = anEmail();
    const request = { sessionToken: owner.token, email, role: Role.ROLE_VIEWER };
    const { token } = await peer.inviteOperator(request, context());
    expect(await peer.getInvitation({ token }, context())).toMatchObject({ email });
    await expect(accept(token, anEmail())).rejects.toThrow(reason('INVITATION_NOT_FOUND'));
    await accept(token, email);
    await expect(peer.inviteOperator(request, context())).rejects.toThrow(
      reason('OPERATOR_EXISTS'),
    );
  });

  test.each([
    ['may not sign in any more', { role: Role.ROLE_UNSPECIFIED, active: false }],
    ['may not invite any more', { role: Role.ROLE_VIEWER, active: undefined }],
  ])('have no valid invitation when its inviter %s', async (_case, update) => {
    const { owner } = await anOwner();
    const admin = await aColleague(owner, Role.ROLE_ADMIN);
    const email = anEmail();
    const invited = { sessionToken: admin.token, email, role: Role.ROLE_VIEWER };
    const { token } = await peer.inviteOperator(invited, context());
    const change = { sessionToken: owner.token, operatorId: admin.id, revokeKeys: false };
    await peer.updateOperator({ ...change, ...update }, context());
    const unknown = reason('INVITATION_NOT_FOUND');
    await expect(peer.getInvitation({ token }, context())).rejects.toThrow(unknown);
    await expect(accept(token, email)).rejects.toThrow(unknown);
  });

  test('need a role and an address to be invited', async () => {
    const { owner } = await anOwner();
    const request = { sessionToken: owner.token, email: anEmail(), role: Role.ROLE_UNSPECIFIED };
    await expect(peer.inviteOperator(request, context())).rejects.toMatchObject({
      fields: { role: ['Required'] },
    });
    const wrong = { ...request, email: 'ada', role: Role.ROLE_VIEWER };
    await expect(peer.inviteOperator(wrong, context())).rejects.toMatchObject({
      fields: { email: ['Invalid email'] },
    });
  });

  test('lose access immediately when deactivated', async () => {
    const { owner } = await anOwner();
    const viewer = await aColleague(owner, Role.ROLE_VIEWER);
    const change = { sessionToken: owner.token, operatorId: viewer.id, active: false };
    await peer.updateOperator(
      { ...change, role: Role.ROLE_UNSPECIFIED, revokeKeys: false },
      context(),
    );
    await expect(whose(viewer.token)).rejects.toThrow(reason('INVALID_SESSION'));
    await expect(logIn(viewer.email)).rejects.toThrow(reason('INVALID_CREDENTIALS'));
  });

  test('are not found from another organization', async () => {
    const [{ owner }, other] = [await anOwner(), await anOwner()];
    const change = { sessionToken: owner.token, operatorId: other.owner.id, active: false };
    await expect(
      peer.updateOperator({ ...change, role: Role.ROLE_UNSPECIFIED, revokeKeys: false }, context()),
    ).rejects.toThrow(reason('OPERATOR_NOT_FOUND'));
    await whose(other.owner.token);
  });

  test('keep an owner, even when all of them step down concurrently', async () => {
    const { owner } = await anOwner();
    const owners = [owner];
    for (let count = 1; count < 4; count += 1) {
      owners.push(await aColleague(owner, Role.ROLE_OWNER));
    }
    const steps = await Promise.allSettled(
      owners.map(({ id, token }) =>
        peer.updateOperator(
          { sessionToken: token, operatorId: id, role: Role.ROLE_VIEWER, revokeKeys: false },
          context(),
        ),
      ),
    );
    const refused = steps.filter((step) => step.status === 'rejected');
    expect(refused.map(({ reason: error }) => (error as { reason: string }).reason)).toEqual([
      'LAST_OWNER',
    ]);
    const { operators } = await peer.listOperators({ sessionToken: owner.token }, context());
    expect(operators.filter(({ role }) => role === Role.ROLE_OWNER)).toHaveLength(1);
  });
});

test('no token and no password is stored in any collection', async () => {
  const { owner } = await anOwner();
  const { token } = await peer.inviteOperator(
    { sessionToken: owner.token, email: anEmail(), role: Role.ROLE_VIEWER },
    context(),
  );
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  const mongo = await connectMongo({ uri, database, service: 'identity' });
  const texts: string[] = [];
  for (const { name } of await mongo.db.listCollections().toArray()) {
    const documents = await mongo.db.collection(name).find().toArray();
    texts.push(
      JSON.stringify(documents, (_key, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      ),
    );
  }
  await mongo.close();
  const all = texts.join('\n');
  expect(all).toContain(owner.email);
  for (const secret of [owner.token, token, password]) expect(all).not.toContain(secret);
});
