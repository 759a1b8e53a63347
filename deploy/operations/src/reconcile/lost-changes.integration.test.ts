import { Restores } from '@billing/chassis/restores';
import { ServiceDatabases } from '../testing/service-databases';
import { lostChangeText } from './check';
import { readLostChanges } from './lost-changes';

const databases = new ServiceDatabases('changes', ['checkout', 'identity', 'subscription']);

beforeAll(() => databases.connect());
afterAll(() => databases.drop());

const collectionOf = (service: string, name: string) => databases.of(service).collection<any>(name);

test('documents of changes are lost unless a change, an end or an earlier report names them', async () => {
  const ofChange = {
    environmentId: 'e1',
    subscriptionId: 's1',
    billingReason: 'SUBSCRIPTION_CHANGE',
    status: 'PAID',
    lineItems: [{ kind: 'UNUSED_TIME' }, { kind: 'REMAINING_TIME' }],
  };
  const renewal = { ...ofChange, billingReason: 'SUBSCRIPTION_CYCLE' };
  const credited = (id: string, reason = 'CHANGE') => ({ creditNotes: [{ id, reason }] });
  await collectionOf('checkout', 'invoices').insertMany([
    { _id: 'recorded', ...ofChange },
    { _id: 'paying', ...ofChange, status: 'OPEN' },
    { _id: 'finished', ...ofChange },
    { _id: 'lost', ...ofChange },
    { _id: 'void', ...ofChange, status: 'VOID' },
    { _id: 'end of a cycle', ...ofChange, lineItems: [{ kind: 'USAGE' }] },
    { _id: 'of another environment', ...ofChange, environmentId: 'deleted' },
    { _id: 'i1', ...renewal, ...credited('recorded note') },
    { _id: 'i2', ...renewal, ...credited('note of the end') },
    { _id: 'i3', ...renewal, ...credited('lost note') },
    { _id: 'i4', ...renewal, ...credited('note of a seller', 'GOODWILL') },
    // Paid although the change had failed, and so credited.
    { _id: 'superseded', ...ofChange, ...credited('note of all of it') },
    { _id: 'superseded now', ...ofChange, ...credited('another note of all') },
  ]);
  const changeOf = (invoiceId: string) => ({ invoice: { invoiceId }, creditNotes: [] });
  await collectionOf('subscription', 'changes').insertMany([
    { _id: 'c1', ...changeOf('recorded') },
    { _id: 'c2', invoice: null, creditNotes: [{ id: 'recorded note' }] },
    { _id: 'c3', status: 'FAILED', ...changeOf('superseded') },
  ]);
  const failed = { status: 'FAILED', ...changeOf('superseded now') };
  await collectionOf('subscription', 'subscriptions').insertMany([
    {
      _id: 's1',
      changes: { paying: changeOf('paying'), finished: [changeOf('finished'), failed] },
    },
    {
      _id: 's2',
      changes: { paying: null, finished: [] },
      cancellation: { creditNotes: [{ id: 'note of the end' }] },
    },
    { _id: 'of release 0.1.0' },
  ]);

  const living = { environmentId: { $nin: ['deleted'] } };
  const found = await readLostChanges(databases.all, living);
  const lost = { holder: 'invoice', id: 'lost', subscriptionId: 's1' } as const;
  const lostNote = { holder: 'credit note', id: 'lost note', subscriptionId: 's1' };
  expect(found.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([lost, lostNote]);

  // A restore that is not opened yet finds what it has found before.
  const restores = new Restores(databases.of('identity'));
  const restore = { id: 'r1', code: 'WH5C2', at: new Date(1), instant: new Date(0) };
  await restores.record(restore);
  const text = lostChangeText(lost);
  const findings = [{ invariant: 'missing_reference', text }];
  await restores.recordReport('r1', JSON.stringify({ findings }));
  expect(await readLostChanges(databases.all, living)).toHaveLength(2);
  await restores.recordOpening('r1', new Date(2));
  expect(await readLostChanges(databases.all, living)).toEqual([lostNote]);
});
