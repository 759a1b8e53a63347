import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@billing/chassis/clock';
import { eventually } from '@billing/chassis/testing';
import { TestStripe } from '@billing/checkout/testing/stripe-provider';
import { makeSharedFolder } from '@billing/local/account';
import { ApiClient } from '../support/api-client';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';
import { Announced, chargesOf, expectOneTextAnId, readBooks } from './compare';
import { Commands } from './launcher';
import { reportOf } from './command';
import { after, steps } from './recovery';
import { created, Scene } from './scene';
import { isShort } from '../support/rounds';

// A merchant loses a machine after charges that the last backup does not have: the commands are
// those of the guide, the payment provider remembers every charge.

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

const openInvoice = { lines: [{ description: 'Installation', amount: 500 }], finalize: true };

/** A base backup before the renewals of two buyers, the second of whom has a card that declines. */
async function backUpBefore(scene: Scene, dataDir: string) {
  // On a slow machine a backup takes longer than the first of these times.
  for (let inMs = 30_000; ; inMs *= 3) {
    const renewsAt = new Date(systemClock.now().getTime() + inMs);
    const charged = await scene.buyBefore(renewsAt);
    const declined = await scene.buyBefore(renewsAt);
    // Not after the backup: the backup may end later than the renewal begins.
    scene.declineFrom(declined);
    const books = [await readBooks(scene.live), await readBooks(scene.sandbox)] as const;
    const to = join(folder, 'backups');
    const saved = await commands.run('backup', '--to', to, '--data', dataDir, '--json');
    expect(saved.code).toBe(0);
    const { path, instant } = reportOf(saved) as { path: string; instant: string };
    const isBefore = instant < renewsAt.toISOString();
    if (isBefore) return { charged, declined, books, path, instant };
  }
}

async function newestInvoiceOf(api: ApiClient, { id }: { id: string }): Promise<any> {
  const invoices = await api.all(`/invoices?subscriptionId=${id}`);
  expect(invoices).toHaveLength(2);
  return invoices.find(({ billingReason }) => billingReason === 'SUBSCRIPTION_CYCLE');
}

test('D1: charges after a backup are found again, and no payer is charged twice', async () => {
  const source = join(folder, 'source');
  const before = commands.start(source);
  const { gatewayUrl, liveKey } = await before.ready();
  const live = new ApiClient(gatewayUrl, liveKey);
  const scene = await Scene.play(live, stripe, receiver);
  const { id: customerId } = await created(live, '/customers', {
    ...{ email: 'bob@example.com', collectionMethod: 'SEND_INVOICE', currency: 'USD' },
  });
  const voided = await created(live, '/invoices', { customerId, ...openInvoice });
  const saved = await backUpBefore(scene, source);
  const { charged, declined, instant } = saved;

  await live.expect(200, live.post(`/invoices/${String(voided.id)}/void`));
  const lost = await scene.buy();
  const [paid, failed] = await eventually(async () => {
    const both = [await newestInvoiceOf(live, charged), await newestInvoiceOf(live, declined)];
    expect(both).toMatchObject([
      { status: 'PAID' },
      { status: 'OPEN', payments: [{ status: 'FAILED' }] },
    ]);
    return both;
  });
  const announced = new Announced();
  announced.record(live, await readBooks(live));
  await before.stop();
  const charges = chargesOf(stripe);

  const target = join(folder, 'target');
  expect((await commands.run('restore', '--from', saved.path, '--data', target)).code).toBe(0);
  const restored = commands.start(target);
  await eventually(() => {
    expect(restored.progress()).toContain('The system stays closed');
  });
  for (const step of isShort ? [] : steps) {
    expect([step, (await commands.reconcile(target, after(step))).code]).toEqual([step, undefined]);
  }
  const found = await commands.reconcile(target, () => false);
  expect(found.code).toBe(1);
  const report = reportOf(found);
  expect(report).toMatchObject({
    ...{ instant, findings: [], opened: false },
    unmatchedCharges: [{ provider: 'stripe', amount: 2900, currency: 'USD' }],
  });
  const { billing_invoice: ofLost } = report.unmatchedCharges[0].metadata;
  expect([paid.id, failed.id]).not.toContain(ofLost);
  expect((await live.get('/invoices')).status).toBe(503);
  expect(chargesOf(stripe)).toEqual(charges);

  const reason = 'The payer of the lost charge was refunded';
  const opened = await commands.run('reconcile', '--data', target, '--open', reason, '--json');
  expect(reportOf(opened)).toMatchObject({ opened: true, code: report.code });
  await restored.ready();
  const own = expect.stringMatching(new RegExp(`^INV-${String(report.code)}-\\d{6}$`));
  const [books, sandbox] = await eventually(async () =>
    Promise.all([readBooks(live), readBooks(scene.sandbox)]),
  );
  announced.record(live, books);
  expect(sandbox).toEqual(saved.books[1]);
  const payment = { amount: 2900, provider: 'stripe' };
  expect(books.invoices.get(paid.id)).toMatchObject({
    ...{ number: own, status: 'PAID', payments: [{ ...payment, status: 'SUCCEEDED' }] },
  });
  expect(books.invoices.get(failed.id)).toMatchObject({
    ...{ number: own, status: 'OPEN', payments: [{ ...payment, status: 'FAILED' }] },
  });
  const renewed = new Map(books.invoices);
  for (const { id } of [paid, failed]) renewed.delete(id);
  expect(renewed).toEqual(saved.books[0].invoices);
  expect(books.balances).toEqual(saved.books[0].balances);
  expect((await live.get(`/subscriptions/${String(lost.id)}`)).status).toBe(404);
  expect(books.subscriptions.get(declined.id)).toMatchObject({ status: 'PAST_DUE' });
  expect(chargesOf(stripe)).toEqual(charges);
  expectOneTextAnId(receiver);
});
