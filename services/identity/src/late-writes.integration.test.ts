import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectMongo } from '@billing/chassis/mongo';
import { eventually, testContext } from '@billing/chassis/testing';
import { ClockKind } from '@billing/proto/billing/identity/v1/identity';
import { Role } from '@billing/proto/billing/identity/v1/operator';
import { aNetwork, anEmail, originAt, password, present } from './testing/operators';
import { SecondFactorTests } from './testing/second-factors';

// The gate before every write reads the remaining time from the service's clock. By the real clock
// calls have 25 s, so that the refusal arrives in time.
const deadlineMs = 25_000;
let clockOffsetMs = 0;
const clock = { now: () => new Date(systemClock.now().getTime() + clockOffsetMs) };
const context = () => testContext({ deadlineMs });
const tests = new SecondFactorTests();
const newPassword = 'another horse battery';
const origin = originAt(aNetwork());

beforeAll(() => tests.start(clock));
afterAll(() => tests.stop());
afterEach(() => {
  clockOffsetMs = 0;
});

interface Stored {
  readonly _id: unknown;
  readonly outbox?: readonly unknown[];
  readonly deletedAt?: Date | null;
}

// Heartbeats, and the commands of an earlier test that find no peers.
const writtenOnItsOwn: ReadonlySet<string> = new Set(['replicas', 'stuckCommands']);

/** Reads the whole database except the documents that the running process writes on its own. */
async function stored(): Promise<Record<string, readonly Stored[]>> {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = tests.configuration;
  const mongo = await connectMongo({ uri, database, service: 'test' });
  const names = (await mongo.db.listCollections().toArray()).map(({ name }) => name);
  const found: Record<string, readonly Stored[]> = {};
  for (const name of names) {
    if (!writtenOnItsOwn.has(name))
      found[name] = await mongo.db.collection<Stored>(name).find().sort({ _id: 1 }).toArray();
  }
  await mongo.close();
  return found;
}

/** The whole database, once what earlier calls have announced is published. */
const settled = () =>
  eventually(async () => {
    const found = await stored();
    // Without peers, a deletion never ends.
    const isWaiting = ({ outbox = [], deletedAt = null }: Stored) =>
      outbox.length > 0 && deletedAt === null;
    expect(Object.values(found).flat().filter(isWaiting)).toEqual([]);
    return found;
  });

/** An organization with all resources that the calls below refer to. */
async function aScene() {
  const { organization, owner, name } = await tests.anOwner();
  const { organizationId } = organization;
  const [live, sandbox] = [present(organization.live), present(organization.sandbox)];
  const at = () =>
    testContext({ tenant: { organizationId, environmentId: live.id, live: true }, deadlineMs });
  const request = { name: 'Key', scopes: [], expiresAt: undefined, createdBy: undefined };
  const { apiKey } = await tests.identity.createApiKey(request, at());
  const viewer = await tests.aColleague(owner, Role.ROLE_VIEWER);
  const invited = anEmail();
  const sessionToken = owner.token;
  const invitation = await tests.peer.inviteOperator(
    { sessionToken, email: invited, role: Role.ROLE_VIEWER },
    context(),
  );
  const reset = await tests.peer.createResetLink(
    { sessionToken, operatorId: viewer.id },
    context(),
  );
  const code = await tests.begin(viewer);
  const empty = await tests.identity.ensureOrganization({ name: newId() }, context());
  const whose = { organizationId, sandboxId: sandbox.id, emptyId: empty.organizationId };
  const secrets = { sessionToken, invitation: invitation.token, reset: reset.token };
  return {
    ...whose,
    ...secrets,
    at,
    name,
    owner,
    viewer,
    code,
    invited,
    request,
    keyId: present(apiKey).id,
  };
}

type Scene = Awaited<ReturnType<typeof aScene>>;

const calls: Record<string, (scene: Scene) => Promise<unknown>> = {
  ensureOrganization: () => tests.identity.ensureOrganization({ name: newId() }, context()),
  createApiKey: ({ request, at }) => tests.identity.createApiKey(request, at()),
  revokeApiKey: ({ keyId: id, at }) =>
    tests.identity.revokeApiKey({ id, descendants: false }, at()),
  createSandbox: ({ at }) =>
    tests.identity.createSandbox(
      { name: '', clock: ClockKind.CLOCK_KIND_REAL, startsAt: undefined, createdBy: undefined },
      at(),
    ),
  updateSandbox: ({ sandboxId: id, at }) =>
    tests.identity.updateSandbox({ id, name: 'Other', expectedVersion: undefined }, at()),
  deleteSandbox: ({ sandboxId: id, at }) => tests.identity.deleteSandbox({ id }, at()),
  inviteFirstOwner: ({ emptyId: organizationId }) =>
    tests.peer.inviteFirstOwner({ organizationId }, context()),
  inviteOperator: ({ sessionToken }) =>
    tests.peer.inviteOperator(
      { sessionToken, email: anEmail(), role: Role.ROLE_VIEWER },
      context(),
    ),
  acceptInvitation: ({ invitation: token, invited: email }) =>
    tests.peer.acceptInvitation(
      { token, email, name: 'Ada', password, origin, providerConfigured: false },
      context(),
    ),
  updateOperator: ({ sessionToken, viewer: { id: operatorId } }) =>
    tests.peer.updateOperator(
      { sessionToken, operatorId, role: Role.ROLE_ADMIN, active: undefined, revokeKeys: false },
      context(),
    ),
  createResetLink: ({ sessionToken, viewer: { id: operatorId } }) =>
    tests.peer.createResetLink({ sessionToken, operatorId }, context()),
  createOwnerResetLink: ({ organizationId, owner: { email } }) =>
    tests.peer.createOwnerResetLink({ organizationId, email }, context()),
  resetPassword: ({ reset: token }) =>
    tests.peer.resetPassword({ token, password: newPassword, origin }, context()),
  logIn: ({ owner: { email } }) =>
    tests.peer.logIn({ email, password, origin, providerConfigured: false }, context()),
  logInByProvider: ({ owner: { email } }) => {
    const vouched = { email, issuer: 'https://id.example', subject: 'one' };
    return tests.peer.logInByProvider({ ...vouched, origin }, context());
  },
  beginSecondFactor: ({ sessionToken }) =>
    tests.peer.beginSecondFactor({ sessionToken }, context()),
  confirmSecondFactor: ({ viewer: { token }, code }) =>
    tests.peer.confirmSecondFactor({ sessionToken: token, code: code(0) }, context()),
  changeName: ({ sessionToken }) =>
    tests.peer.changeName({ sessionToken, name: 'Ada L.' }, context()),
  changeEmail: ({ sessionToken }) =>
    tests.peer.changeEmail(
      { sessionToken, email: anEmail(), password, origin, provesEmail: false },
      context(),
    ),
  changePassword: ({ sessionToken }) =>
    tests.peer.changePassword(
      { sessionToken, currentPassword: password, newPassword, origin },
      context(),
    ),
};

test.each(Object.entries(calls))(
  '%s stores nothing when fewer than two seconds of its deadline are left',
  async (_name, call) => {
    const scene = await aScene();
    const before = await settled();
    clockOffsetMs = deadlineMs - 1_000;
    await expect(call(scene)).rejects.toMatchObject({
      kind: 'unavailable',
      reason: 'TOO_LATE_TO_STORE',
    });
    expect(await stored()).toEqual(before);
    clockOffsetMs = 0;
    await call(scene);
  },
);
