import type { Tenant } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { connectPeer } from '@billing/chassis/peer';
import { eventually, testContext, testTenant } from '@billing/chassis/testing';
import {
  type SystemServiceServer,
  SystemServiceService,
} from '@billing/proto/billing/system/v1/system';
import { type RunningNotifier, startSystem, type TestSystem } from './testing/system';

describe('events of a deleted environment', () => {
  let system: TestSystem;
  let notifier: RunningNotifier;

  beforeAll(async () => {
    system = await startSystem('deleted');
    notifier = await system.startNotifier({ reconcileEveryMs: 200 });
  });

  afterAll(() => system.close());

  async function deleteAtNotifier({ environmentId }: Tenant): Promise<void> {
    const { address } = notifier;
    const calls = connectPeer<SystemServiceServer>(SystemServiceService, {
      address,
      service: 'identity',
    });
    const { isDone } = await calls.deleteEnvironment({ environmentId }, testContext({}));
    calls.close();
    expect(isDone).toBe(true);
  }

  /** Returns the collections in which the notifier has documents of an environment. */
  async function placesOf({ environmentId }: Tenant): Promise<string[]> {
    const { db } = system.mongo;
    const listed = await db.listCollections({}, { nameOnly: true }).toArray();
    const found = await Promise.all(
      listed.map(async ({ name }) => {
        const count = await db.collection(name).countDocuments({ environmentId });
        return count === 0 ? [] : [name];
      }),
    );
    return found.flat();
  }

  test('that arrive late from the stream or a log recreate nothing of it', async () => {
    const { owner, checkout, receiver } = system;
    const [deleted, other] = [testTenant(), testTenant()];
    await notifier.register(deleted, '/deleted');
    await notifier.register(other, '/other');
    const id = newId();
    await owner.announce(deleted, id);
    await eventually(() => {
      expect(receiver.receivedAt('/deleted')).toHaveLength(1);
    });
    // The outcome, the feed and the position of mails are stored a moment later.
    await eventually(async () => {
      const { db } = system.mongo;
      const { environmentId } = deleted;
      expect(await db.collection('deliveries').findOne({ environmentId })).toMatchObject({
        status: 'DELIVERED',
      });
      const position = await db.collection('mailPositions').findOne({ environmentId });
      expect(Number(position?.position)).toBe(1);
    });
    await deleteAtNotifier(deleted);
    expect(await placesOf(deleted)).toEqual([]);

    // Four cases: redelivered; logged only; published out of order after a hole; of a session that
    // is new here.
    await owner.publish(id, 1);
    await owner.logOnly(deleted, id, 2);
    await owner.logOnly(deleted, id, 5);
    await owner.publish(id, 5);
    await checkout.announce(deleted, newId());
    // The later events on the stream and in the logs prove that the earlier ones were read.
    const marker = newId();
    await owner.announce(other, marker);
    await owner.logOnly(other, marker, 2);
    await eventually(() => {
      expect(receiver.receivedAt('/other')).toHaveLength(2);
    });
    expect(await placesOf(deleted)).toEqual([]);
    expect(receiver.receivedAt('/deleted')).toHaveLength(1);
  });
});
