import type { DataKey } from '@billing/chassis/data-keys';
import { newId } from '@billing/chassis/ids';
import { eventually, testContext, testTenant } from '@billing/chassis/testing';
import { start } from '../service';
import {
  type RunningNotifier,
  sequencesOf,
  startSystem,
  testDataKeys,
  type TestSystem,
} from '../testing/system';

const newKey: DataKey = { id: 'new', bytes: Buffer.alloc(32, 2) };

interface StoredSecrets {
  readonly _id: string;
  readonly version: number | bigint;
  readonly secret: string;
  readonly retiredSecrets: readonly { readonly secret: string }[];
}

describe('the secrets of endpoints', () => {
  let system: TestSystem;

  beforeAll(async () => {
    system = await startSystem('sealed');
  });

  afterAll(() => system.close());

  const endpoints = () => system.mongo.db.collection<StoredSecrets>('webhookEndpoints');

  async function keyIdsOf(id: string): Promise<(string | undefined)[]> {
    const stored = await endpoints().findOne({ _id: id });
    const secrets = [stored?.secret, ...(stored?.retiredSecrets ?? []).map(({ secret }) => secret)];
    return secrets.map((secret) => /^sealed:(\w+):/.exec(secret ?? '')?.[1]);
  }

  async function rotate(notifier: RunningNotifier, id: string, context = testContext()) {
    await notifier.calls.rotateWebhookSecret({ id }, context);
  }

  test('are encrypted with the newest key in the background, so that the older one can be removed', async () => {
    const { owner, receiver } = system;
    const tenant = testTenant();
    const before = await system.startNotifier();
    const { id } = await before.register(tenant, '/sealed');
    await rotate(before, id, testContext({ tenant }));
    expect(await keyIdsOf(id)).toEqual(['test', 'test']);
    // Stored as by a release that did not encrypt.
    const plain = await before.register(tenant, '/plain');
    await endpoints().updateOne({ _id: plain.id }, { $set: { secret: plain.secret } });
    const versions = async () =>
      (await endpoints().find().sort({ _id: 1 }).toArray()).map(({ version }) => Number(version));
    const versionsBefore = await versions();
    await before.stop();

    const both = await system.startNotifier({}, { DATA_KEYS: [newKey, ...testDataKeys] });
    await eventually(async () => {
      expect([await keyIdsOf(id), await keyIdsOf(plain.id)]).toEqual([['new', 'new'], ['new']]);
    });
    expect(await versions()).toEqual(versionsBefore);
    await both.stop();

    const after = await system.startNotifier({}, { DATA_KEYS: [newKey] });
    const { webhookEndpoints } = await after.calls.listWebhookEndpoints(
      { page: 1, perPage: 20 },
      testContext({ tenant }),
    );
    expect(webhookEndpoints).toHaveLength(2);
    const subscriptionId = newId();
    await owner.announce(tenant, subscriptionId);
    await eventually(() => {
      for (const path of ['/sealed', '/plain']) {
        expect(sequencesOf(receiver.receivedAt(path), subscriptionId)).toEqual([1]);
      }
    });
    await after.stop();
  });

  test.each(['secret', 'retiredSecrets'])(
    'that are encrypted with a key that is not configured refuse the start (%s)',
    async (field) => {
      const sealed = 'sealed:gone:AAAA';
      const fields =
        field === 'secret' ? { secret: sealed } : { retiredSecrets: [{ secret: sealed }] };
      const stored = { version: 1, secret: '', retiredSecrets: [], ...fields };
      const broken = newId();
      await endpoints().insertOne({ ...stored, _id: broken });
      const config = { ...system.config, DATA_KEYS: [newKey] };
      await expect(start(config)).rejects.toMatchObject({
        name: 'ConfigurationError',
        message: [
          'Invalid configuration:',
          '  DATA_KEYS: lacks the key gone, which stored webhook secrets are sealed with',
        ].join('\n'),
      });
      await endpoints().deleteOne({ _id: broken });
    },
  );
});
