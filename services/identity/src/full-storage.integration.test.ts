import { type Db, MongoServerError } from 'mongodb';
import { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { createLogger } from '@billing/chassis/logging';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, eventually, testContext } from '@billing/chassis/testing';
import { apiKeyHandlers } from './api-key/api-key-rpc';
import { ApiKeyStore, apiKeys } from './api-key/api-key-store';
import { ApiKeyUseStore } from './api-key/use-store';
import { BackgroundWrites } from './background-write/background-write-store';
import { openLive } from './environment/environment';
import { environments, liveTenant } from './environment/environment-store';
import { createOperator } from './operator/operator';
import { operatorId, operators, operatorSessions } from './operator/operator-store';
import { SignIn, type SignInDependencies } from './operator/sign-in';
import { TokenStore } from './operator/token-store';
import { identityTestConfiguration } from './testing/configuration';
import { failingDb } from './testing/failing-db';
import { anEmail } from './testing/operators';

const configuration = identityTestConfiguration();
const oldPepper = configuration.API_KEY_PEPPER;
const newPepper = 'another pepper of 32 characters and more';
const tenant = liveTenant(newId());

const writes: ReadonlySet<string> = new Set(['bulkWrite', 'updateOne', 'updateMany', 'insertOne']);
let isFull = false;
let refused = 0;
let mongo: MongoConnection;
let storage: BackgroundWrites;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
});

beforeEach(() => {
  isFull = false;
  refused = 0;
  storage = new BackgroundWrites(createLogger({ service: 'test', level: 'silent' }));
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

/** The database, whose writes fail as those of a full disk while it is full. */
function limitedDb(): Db {
  return failingDb(mongo.db, (_collection, method) => {
    if (!isFull || !writes.has(method)) return undefined;
    refused += 1;
    const message = 'could not extend file: No space left on device';
    return new MongoServerError({ message, code: 1 });
  });
}

test('a full disk refuses no key whose pepper is being replaced, and space lets it be rewritten', async () => {
  const db = limitedDb();
  const clock = systemClock;
  const keys = new AggregateCollection(db, apiKeys, { clock });
  const environmentStore = new AggregateCollection(db, environments, { clock });
  await environmentStore
    .within({ tenant, now: clock.now() })
    .insert(openLive(tenant.environmentId));
  const { environmentId: creatorEnvironmentId } = tenant;
  const createdBy = { type: 'SYSTEM' } as const;
  const place = { tenant, kind: 'LIVE', createdBy, creatorEnvironmentId } as const;
  const input = { name: 'Backend', scopes: [], expiresAt: undefined };
  const { key, stored } = await new ApiKeyStore(keys, clock, [oldPepper]).issue(place, input);
  const { authenticate } = apiKeyHandlers({
    apiKeys: new ApiKeyStore(keys, clock, [newPepper, oldPepper]),
    apiKeyUses: new ApiKeyUseStore(keys, environmentStore, storage),
    environments: environmentStore,
    noteLiveUse: () => undefined,
    lineage: {} as never,
    clock,
  });
  const idOf = async () => (await authenticate({ key }, testContext())).apiKeyId;
  const afterRotation = new ApiKeyStore(keys, clock, [newPepper]);

  isFull = true;
  expect([await idOf(), await idOf()]).toEqual([stored.state.id, stored.state.id]);
  await storage.settle();
  expect(refused).toBeGreaterThan(0);
  expect(await afterRotation.find(key)).toBeUndefined();

  isFull = false;
  await eventually(async () => {
    expect(await idOf()).toBe(stored.state.id);
    await storage.settle();
    expect((await afterRotation.find(key))?.state.id).toBe(stored.state.id);
  });
});

test('a full disk ends no session of an operator', async () => {
  const db = limitedDb();
  let offsetMs = 0;
  const clock = { now: () => new Date(systemClock.now().getTime() + offsetMs) };
  const operatorStore = new AggregateCollection(db, operators, { clock });
  const sessionStore = new AggregateCollection(db, operatorSessions, { clock });
  const email = anEmail();
  const ada = { id: operatorId(email), email, name: 'Ada', role: 'OWNER' } as const;
  const { stored: operator } = await operatorStore
    .within({ tenant, now: clock.now() })
    .insert(createOperator({ ...ada, invitedBy: undefined, passwordHash: undefined }));
  const sessions = new TokenStore(sessionStore, { clock, peppers: [oldPepper] });
  const signIn = new SignIn({
    operators: operatorStore,
    sessions,
    backgroundWrites: storage,
    clock,
  } as Partial<SignInDependencies> as SignInDependencies);
  const { token } = await signIn.open(operator, undefined, {});
  const lastUsedAt = async () => (await sessions.find(token))?.state.lastUsedAt;
  const opened = await lastUsedAt();

  offsetMs = 6 * 60_000;
  isFull = true;
  expect((await signIn.authenticate(token)).operator.state.id).toBe(ada.id);
  await storage.settle();
  expect([refused, await lastUsedAt()]).toEqual([1, opened]);

  isFull = false;
  await signIn.authenticate(token);
  await storage.settle();
  expect(await lastUsedAt()).not.toEqual(opened);
});
