import { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { createLogger } from '@billing/chassis/logging';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, testContext } from '@billing/chassis/testing';
import { AuditStore } from '../audit/audit-store';
import { BackgroundWrites } from '../background-write/background-write-store';
import { liveTenant } from '../environment/environment-store';
import { createOrganization } from '../organization/organization';
import { organizations as organizationDefinition } from '../organization/organization-store';
import { commonPasswords } from '../password/common-password-store';
import { HashQueue } from '../password/hash-queue';
import { LoginAttemptStore } from '../password/login-attempt-store';
import { identityTestConfiguration } from '../testing/configuration';
import { failingDb } from '../testing/failing-db';
import { anEmail, aNetwork, originAt, password } from '../testing/operators';
import { accountHandlers } from './account-rpc';
import { EmailCodes } from './email-codes';
import { invite } from './invitation';
import { invitationHandlers } from './invitation-rpc';
import { createOperator } from './operator';
import {
  findByEmail,
  invitations as invitationDefinition,
  operatorId,
  operators as operatorDefinition,
  operatorSessions,
  resetLinks as resetLinkDefinition,
} from './operator-store';
import { issueResetLink } from './reset-link';
import { resetPassword } from './reset-password';
import { SecondFactors } from './second-factors';
import { OperatorSessionStore } from './session-store';
import { SignIn } from './sign-in';
import { TokenStore } from './token-store';

const configuration = identityTestConfiguration();
const writes = new Set(['bulkWrite', 'insertMany', 'insertOne', 'replaceOne', 'updateOne']);
const newPassword = 'another horse battery';
const origin = originAt(aNetwork());

let mongo: MongoConnection;
// Collections whose writes of these methods fail.
let broken: { readonly collection: string; readonly methods?: ReadonlySet<string> } | undefined;
let tools: ReturnType<typeof openTools>;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
  tools = openTools();
});

afterEach(() => {
  broken = undefined;
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

function openTools() {
  const db = failingDb(mongo.db, (collection, method) =>
    collection === broken?.collection && (broken.methods ?? writes).has(method)
      ? new Error('The database has failed')
      : undefined,
  );
  const clock = systemClock;
  const logger = createLogger({ service: 'test', level: 'silent' });
  const options = { clock, peppers: [configuration.API_KEY_PEPPER] };
  const operators = new AggregateCollection(db, operatorDefinition, { clock });
  const organizations = new AggregateCollection(db, organizationDefinition, { clock });
  const sessionStore = new AggregateCollection(db, operatorSessions, { clock });
  const links = new AggregateCollection(db, resetLinkDefinition, { clock });
  const invited = new AggregateCollection(db, invitationDefinition, { clock });
  const sessionList = new OperatorSessionStore(sessionStore);
  const attempts = new LoginAttemptStore(db, logger);
  const factors = { operators, sessionList, attempts, dataKeys: undefined, clock };
  const secondFactors = new SecondFactors(factors);
  const signIn = new SignIn({
    ...{ organizations, secondFactors, operators, sessionList, attempts, clock },
    sessions: new TokenStore(sessionStore, options),
    passwordCost: configuration.PASSWORD_HASH_COST,
    hashes: new HashQueue({ runningMax: 1, waitingMax: 5, perAddressMax: 5 }),
    backgroundWrites: new BackgroundWrites(logger),
  });
  return {
    ...{ operators, organizations, signIn, secondFactors, commonPasswords, clock, logger },
    emailCodes: new EmailCodes(options.peppers),
    resetLinks: new TokenStore(links, options),
    invitations: new TokenStore(invited, options),
    audit: new AuditStore(db),
  };
}

async function anOrganization() {
  const tenant = liveTenant(newId());
  const { organizationId: id } = tenant;
  await tools.organizations
    .within({ tenant, now: systemClock.now() })
    .insert(createOrganization({ id, name: newId() }));
  return tenant;
}

async function anOperator() {
  const tenant = await anOrganization();
  const email = anEmail();
  const passwordHash = await tools.signIn.hash(password, testContext().signal);
  const ada = { id: operatorId(email), email, name: 'Ada', role: 'OWNER' } as const;
  const { stored } = await tools.operators
    .within({ tenant, now: systemClock.now() })
    .insert(createOperator({ ...ada, invitedBy: undefined, passwordHash }));
  return stored;
}

type StoredOperator = Awaited<ReturnType<typeof anOperator>>;

async function aResetLink({ state: operator, tenant }: StoredOperator) {
  const { token } = await tools.resetLinks.issue({ tenant }, (id, now) =>
    issueResetLink(id, { operator, createdBy: undefined }, now),
  );
  return { token, password: newPassword, origin };
}

async function hasPassword({ state, tenant }: StoredOperator, typed: string): Promise<boolean> {
  const now = systemClock.now();
  const present = await tools.operators.within({ tenant, now }).get(state.id);
  return tools.signIn.isPassword(present.state, typed, testContext());
}

test.each([
  ['failed sign-ins cannot be cleared', { collection: 'loginAttempts' }],
  [
    'the outcome cannot be written to the audit log',
    { collection: 'auditEntries', methods: new Set(['updateOne']) },
  ],
])('a new password is the answer although %s', async (_what, failing) => {
  const operator = await anOperator();
  const reset = await aResetLink(operator);
  broken = failing;
  await resetPassword(reset, testContext(), tools);
  broken = undefined;
  expect(await hasPassword(operator, newPassword)).toBe(true);
});

test('no password is set that the audit log cannot show', async () => {
  const operator = await anOperator();
  const reset = await aResetLink(operator);
  broken = { collection: 'auditEntries' };
  await expect(resetPassword(reset, testContext(), tools)).rejects.toMatchObject({
    kind: 'unavailable',
    reason: 'AUDIT_UNAVAILABLE',
  });
  broken = undefined;
  expect(await hasPassword(operator, password)).toBe(true);
  await resetPassword(reset, testContext(), tools);
  expect(await hasPassword(operator, newPassword)).toBe(true);
});

test('an accepted invitation is the answer although the owner cannot be counted', async () => {
  const tenant = await anOrganization();
  const input = { role: 'OWNER', email: undefined, invitedBy: undefined } as const;
  const { token } = await tools.invitations.issue({ tenant }, (id, now) => invite(id, input, now));
  const email = anEmail();
  const typed = { token, email, name: 'Ada', password, origin, providerConfigured: false };
  broken = { collection: 'organizations' };
  const { acceptInvitation } = invitationHandlers(tools);
  const accepted = await acceptInvitation({ ...typed, retryKey: undefined }, testContext());
  expect(accepted.session).toBeDefined();
  expect((await findByEmail(tools.operators, email))?.state.role).toBe('OWNER');
});

test('a new address is the answer although the session that set it ends', async () => {
  const operator = await anOperator();
  const { token: sessionToken } = await tools.signIn.open(operator, origin, {});
  const email = anEmail();
  const { changeEmail } = accountHandlers(tools);
  const request = { sessionToken, email, password, origin, provesEmail: false };
  broken = { collection: 'operatorSessions' };
  const unsent = { code: undefined, emailCode: undefined };
  const changed = await changeEmail({ ...request, ...unsent }, testContext());
  expect(changed.operator?.email).toBe(email);
  expect((await findByEmail(tools.operators, email))?.state.id).toBe(operator.state.id);
});
