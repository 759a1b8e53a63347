import { rm } from 'node:fs/promises';
import { collectionsByService } from '@billing/local/collections';
import { type OwnTestSystem, startTestSystem } from '../support/test-system';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';
import {
  type Collections,
  goldenFile,
  readGolden,
  richest,
  storedDocuments,
  writeGolden,
} from './golden-documents';
import { beginLife, continueLife } from './life';
import { lostFields } from './shape';

jest.setTimeout(600_000);

// Set to write the documents again: a new field is in them from then on.
const writes = process.env.WRITE_DOCUMENTS !== undefined;
const services = Object.keys(collectionsByService);
// Of several replicas of a service, and of sweeps that find something.
const rare: ReadonlySet<string> = new Set(['eventLogReaders', 'feedSweeps', 'lostLogEntries']);

describe('documents that this release stores', () => {
  let system: OwnTestSystem;
  let receiver: WebhookReceiver;
  const stored = new Map<string, Collections>();

  beforeAll(async () => {
    receiver = await startWebhookReceiver();
    system = await startTestSystem({ ownProcess: true });
    const life = await beginLife(system, receiver);
    await continueLife(system, life, '2026-04-30T00:00:00Z');
    for (const service of services) {
      const { uri, database } = system.databaseOf(service);
      stored.set(service, await storedDocuments(uri, database));
    }
    if (writes) await writeAll();
  });

  afterAll(async () => {
    await system.stop();
    await receiver.close();
  });

  async function writeAll(): Promise<void> {
    for (const [service, collections] of stored) {
      await rm(goldenFile(service), { force: true });
      const chosen = Object.entries(collections).map(([name, all]) => [name, richest(all)]);
      writeGolden(service, Object.fromEntries(chosen));
    }
  }

  test.each(services)('%s stores every field of its golden documents', (service) => {
    const now = stored.get(service) ?? {};
    const golden = Object.entries(readGolden(service)).filter(([name]) => !rare.has(name));
    const lost = golden.flatMap(([name, document]) =>
      lostFields(document, now[name] ?? []).map((problem) => `${name}${problem}`),
    );
    expect(lost).toEqual([]);
  });
});
