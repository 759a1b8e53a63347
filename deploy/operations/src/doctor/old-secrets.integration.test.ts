import { realTimeline } from '@billing/chassis/call-context';
import { ServiceDatabases } from '../testing/service-databases';
import { readOldSecret } from './old-secrets';

const databases = new ServiceDatabases('old', ['catalog', 'checkout', 'customer', 'identity']);
const now = new Date('2026-11-28T12:00:00Z');
const minute = 60_000;
const replacedAt = new Date(now.getTime() - 120 * minute);
const fromReplacement = (minutes: number) => new Date(replacedAt.getTime() + minutes * minute);
const [former, inRollout, later] = [fromReplacement(-1), fromReplacement(59), fromReplacement(60)];
const [ended, future] = [now, new Date(now.getTime() + minute)];

beforeAll(() => databases.connect());
afterAll(() => databases.drop());

async function store(service: string, collection: string, documents: object[]): Promise<void> {
  await databases.of(service).collection(collection).insertMany(documents);
}

async function replace(service: string, variable: string): Promise<void> {
  const fingerprints = databases.of(service).collection<any>('secretFingerprints');
  await fingerprints.insertOne({ _id: variable, fingerprint: 'newer', replacedAt });
}

async function needs(service: string): Promise<unknown> {
  const found = await readOldSecret(databases.of(service), service, now);
  return found && [found.variable, found.needs && Object.fromEntries(found.needs)];
}

test('a service without such a secret needs none', async () => {
  expect(await needs('catalog')).toBeUndefined();
});

test('a secret that was never replaced is needed by nothing that is counted', async () => {
  const fingerprints = databases.of('checkout').collection<any>('secretFingerprints');
  await fingerprints.insertOne({ _id: 'HOSTED_PAGE_SECRET', fingerprint: 'first' });
  await store('checkout', 'checkoutLinks', [
    { timeline: realTimeline, active: true, createdAt: former },
  ]);
  expect(await needs('checkout')).toEqual(['HOSTED_PAGE_SECRET', undefined]);
  await fingerprints.deleteMany({});
  await databases.of('checkout').collection('checkoutLinks').deleteMany({});
});

test('a pepper is needed by keys that are not stored under the new one, and what was made before', async () => {
  await replace('identity', 'API_KEY_PEPPER');
  expect(await needs('identity')).toEqual(['API_KEY_PEPPER', {}]);
  const key = { revokedAt: null, expiresAt: null };
  await store('identity', 'apiKeys', [
    // Stored before the first replacement, and under an earlier one.
    key,
    { ...key, pepper: 'older', expiresAt: future },
    { ...key, pepper: 'newer' },
    { ...key, expiresAt: ended },
    { ...key, revokedAt: former },
  ]);
  const session = { endedAt: null, expiresAt: future };
  await store('identity', 'operatorSessions', [
    { ...session, createdAt: former },
    { ...session, createdAt: inRollout },
    { ...session, createdAt: later },
    { ...session, createdAt: former, endedAt: former },
    { ...session, createdAt: former, expiresAt: ended },
  ]);
  const invitation = { acceptedBy: null, expiresAt: future };
  await store('identity', 'invitations', [
    { ...invitation, createdAt: former },
    { ...invitation, createdAt: later },
    { ...invitation, createdAt: former, acceptedBy: 'o1' },
    { ...invitation, createdAt: former, expiresAt: ended },
  ]);
  await store('identity', 'resetLinks', [
    { createdAt: former, expiresAt: future },
    { createdAt: former, expiresAt: ended },
    { createdAt: later, expiresAt: future },
  ]);
  const counts = { 'API key': 2, session: 2, invitation: 1, 'reset link': 1 };
  expect(await needs('identity')).toEqual(['API_KEY_PEPPER', counts]);
});

test('the secret of hosted pages is needed by pages in real time that were made before', async () => {
  await replace('checkout', 'HOSTED_PAGE_SECRET');
  expect(await needs('checkout')).toEqual(['HOSTED_PAGE_SECRET', {}]);
  const made = { timeline: realTimeline, createdAt: former };
  const others = (open: object) => [
    { ...open, ...made, timeline: 'e1' },
    { ...open, ...made, createdAt: later },
  ];
  await store('checkout', 'checkoutSessions', [
    ...['CREATING', 'READY', 'PAYING', 'COMPLETE', 'EXPIRED'].map((phase) => ({ ...made, phase })),
    ...others({ phase: 'READY' }),
  ]);
  await store('checkout', 'checkoutLinks', [
    { ...made, active: true },
    { ...made, active: false },
    ...others({ active: true }),
  ]);
  await store('checkout', 'invoices', [
    ...['DRAFT', 'OPEN', 'OPEN', 'PAID', 'VOID'].map((status) => ({ ...made, status })),
    ...others({ status: 'OPEN' }),
  ]);
  const counts = {
    'open checkout session': 3,
    'checkout link': 1,
    'open invoice': 2,
    'ended invoice': 2,
  };
  expect(await needs('checkout')).toEqual(['HOSTED_PAGE_SECRET', counts]);
});

test('the secret of hosted pages is needed by portal sessions until those of before have expired', async () => {
  await replace('customer', 'HOSTED_PAGE_SECRET');
  const portal = databases.of('customer').collection('portalSessions');
  // A session lasts an hour, so that none of before outlives the second hour.
  await portal.insertMany([{ expiresAt: ended }, { expiresAt: future }]);
  expect(await needs('customer')).toEqual(['HOSTED_PAGE_SECRET', {}]);
  const fingerprints = databases.of('customer').collection('secretFingerprints');
  await fingerprints.updateOne({}, { $set: { replacedAt: fromReplacement(2) } });
  expect(await needs('customer')).toEqual(['HOSTED_PAGE_SECRET', { 'portal session': 1 }]);
});
