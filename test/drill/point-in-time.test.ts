import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@billing/chassis/clock';
import { eventually } from '@billing/chassis/testing';
import { TestStripe } from '@billing/checkout/testing/stripe-provider';
import { makeSharedFolder } from '@billing/local/account';
import { ApiClient } from '../support/api-client';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';
import { Announced, chargesOf, expectOneTextAnId, readBooks, withoutNumbers } from './compare';
import { Commands } from './launcher';
import { reportOf } from './command';
import { Scene } from './scene';

// A base backup and the archive of the log, up to an instant between two renewals.

jest.setTimeout(1_200_000);

let folder: string;
let stripe: TestStripe;
let receiver: WebhookReceiver;
let commands: Commands;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'billing-drill-'));
  await makeSharedFolder(folder);
  stripe = await TestStripe.start();
  receiver = await startWebhookReceiver();
  commands = await Commands.at(stripe);
});

afterAll(async () => {
  await commands.end();
  await stripe.close();
  await receiver.close();
  await rm(folder, { recursive: true, force: true });
});

/** Three buyers who are charged for the second time after a while. */
async function buyThree(scene: Scene, inMs: number): Promise<readonly any[]> {
  const renewsAt = new Date(systemClock.now().getTime() + inMs);
  const buyers: any[] = [];
  while (buyers.length < 3) buyers.push(await scene.buyBefore(renewsAt));
  return buyers;
}

async function untilRenewed({ live }: Scene, buyers: readonly any[]): Promise<void> {
  for (const { id } of buyers) {
    await eventually(async () => {
      const paid = await live.all(`/invoices?subscriptionId=${String(id)}&status=PAID`);
      expect(paid).toHaveLength(2);
    });
  }
}

test('D2: renewals before an instant keep their numbers, those after it are made again', async () => {
  const [source, target] = [join(folder, 'source'), join(folder, 'target')];
  const archive = join(folder, 'archive');
  const before = commands.start(source, '--archive', archive);
  const { gatewayUrl, liveKey } = await before.ready();
  const live = new ApiClient(gatewayUrl, liveKey);
  const scene = await Scene.play(live, stripe, receiver);
  const to = join(folder, 'backups');
  const backup = await commands.run(...['backup', '--to', to, '--data', source, '--json']);
  expect([backup.code, backup.stderr]).toEqual([0, expect.any(String)]);

  await untilRenewed(scene, await buyThree(scene, 10_000));
  const later = await buyThree(scene, 30_000);
  const [kept, sandbox] = [await readBooks(live), await readBooks(scene.sandbox)];
  const at = systemClock.now().toISOString();
  await untilRenewed(scene, later);
  const atStop = await readBooks(live);
  expect(atStop.invoices.size).toBe(kept.invoices.size + later.length);
  const announced = new Announced();
  announced.record(live, atStop);
  // The end of the log is archived when the server stops.
  await before.stop();
  const charges = chargesOf(stripe);

  const { path } = reportOf(backup);
  const restored = await commands.run(
    ...['restore', '--from', String(path), '--archive', archive, '--at', at, '--data', target],
  );
  expect([restored.code, restored.stderr]).toEqual([0, expect.any(String)]);
  // The start reconciles, and is ready once the system is open.
  await commands.start(target).ready();
  const books = await readBooks(live);
  expect(withoutNumbers(books)).toEqual(withoutNumbers(atStop));
  for (const [id, { number }] of kept.invoices) {
    expect([id, books.invoices.get(id).number]).toEqual([id, number]);
  }
  announced.record(live, books);
  expect(await readBooks(scene.sandbox)).toEqual(sandbox);
  expect(chargesOf(stripe)).toEqual(charges);
  expectOneTextAnId(receiver);
});
