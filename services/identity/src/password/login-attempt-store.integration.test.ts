import { createLogger } from '@billing/chassis/logging';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase } from '@billing/chassis/testing';
import { identityTestConfiguration } from '../testing/configuration';
import { failingDb } from '../testing/failing-db';
import { LoginAttemptStore } from './login-attempt-store';
import { perEmail } from './login-attempts';

const configuration = identityTestConfiguration();
let mongo: MongoConnection;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

test('what a code has allowed is the answer although its attempt cannot be withdrawn', async () => {
  let isBroken = false;
  const db = failingDb(mongo.db, () => (isBroken ? new Error('Database failed') : undefined));
  const logger = createLogger({ service: 'test', level: 'silent' });
  const attempts = new LoginAttemptStore(db, logger);
  const limits = [['factor:ada', perEmail]] as const;
  const used = attempts.limited(limits, { pair: 'factor-network:ada', at: new Date() }, () => {
    isBroken = true;
    return Promise.resolve('turned off');
  });
  expect(await used).toBe('turned off');
});
