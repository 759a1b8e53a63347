import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@billing/chassis/testing';
import { TestStripe } from '@billing/checkout/testing/stripe-provider';
import { makeSharedFolder } from '@billing/local/account';
import { ApiClient } from '../support/api-client';

// A merchant loses a machine after charges that the last backup does not have: the commands are
// those of the guide, the payment provider remembers every charge.

jest.setTimeout(900_000);

const bootstrap = join(__dirname, '../../deploy/local/run.mjs');
const waitMs = { timeoutMs: 180_000 };

let folder: string;
let stripe: TestStripe;
let port: number;
const started: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'billing-test-restore-'));
  await makeSharedFolder(folder);
  stripe = await TestStripe.start();
  port = await freePort();
});

afterAll(async () => {
  for (const command of started) await end(command);
  await stripe.close();
  await rm(folder, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: free } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return free;
}

/** Own servers, and the provider of the test. */
function variables(): NodeJS.ProcessEnv {
  const { MONGODB_URI: _mongodb, NATS_URL: _nats, ...environment } = process.env;
  return {
    ...environment,
    STRIPE_SECRET_KEY: 'sk_test_secret',
    STRIPE_WEBHOOK_SECRET: 'whsec_of_the_tests',
    STRIPE_API_URL: stripe.url,
  };
}

interface Start {
  readonly command: ChildProcess;
  readonly output: () => string;
  readonly progress: () => string;
}

function start(dataDir: string): Start {
  const args = [bootstrap, 'start', '--json', '--port', String(port), '--data', dataDir];
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  const command = spawn(process.execPath, args, { env: variables(), stdio: [...stdio] });
  started.push(command);
  let [output, progress] = ['', ''];
  command.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  command.stderr.setEncoding('utf8').on('data', (chunk: string) => (progress += chunk));
  return { command, output: () => output, progress: () => progress };
}

async function end(command: ChildProcess): Promise<void> {
  if (command.exitCode !== null || command.signalCode !== null) return;
  const ended = new Promise((resolve) => command.once('exit', resolve));
  command.kill('SIGTERM');
  await ended;
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
}

/** Runs a command of the product. */
async function run(...args: string[]): Promise<Ended> {
  return promisify(execFile)(process.execPath, [bootstrap, ...args], { env: variables() }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: unknown) => error as Ended,
  );
}

const lastLineOf = ({ stdout }: Ended): any => JSON.parse(stdout.trim().split('\n').at(-1) ?? '');

/** A customer and a subscription that a card authorized elsewhere pays. */
async function subscribe(api: ApiClient, productId: string, terms: object = {}): Promise<any> {
  const email = { email: 'ada@example.com' };
  const { id: customerId } = await api.expect(201, api.post('/customers', email));
  const authorizedTransactionId = stripe.account.addAuthorization({ amount: 2900 });
  const body = { customerId, productId, authorizedTransactionId, ...terms };
  return api.expect(201, api.post('/subscriptions', body));
}

async function invoiceOf(api: ApiClient, { id }: { id: string }): Promise<any> {
  const { data } = await api.expect(200, api.get(`/invoices?subscriptionId=${id}`));
  expect(data).toHaveLength(1);
  return data[0];
}

const untilPaid = (api: ApiClient, subscription: { id: string }): Promise<any> =>
  eventually(async () => {
    const invoice = await invoiceOf(api, subscription);
    expect(invoice.status).toBe('PAID');
    return invoice;
  }, waitMs);

interface Saved {
  /** Subscription whose first charge comes after the backup. */
  readonly waiting: { readonly id: string };
  /** Folder of the backup. */
  readonly path: string;
  readonly instant: string;
}

/** Backs up a system with a subscription that begins after it. */
async function backUpBefore(
  api: ApiClient,
  { dataDir, ...terms }: { customerId: string; productId: string; dataDir: string },
): Promise<Saved> {
  // On a slow machine a backup takes longer than the first of these times.
  for (let startsInMs = 45_000; ; startsInMs *= 3) {
    const startAt = new Date(Date.now() + startsInMs).toISOString();
    const waiting = await api.expect(201, api.post('/subscriptions', { ...terms, startAt }));
    const saved = await run('backup', '--to', join(folder, 'backups'), '--data', dataDir, '--json');
    expect(saved.code).toBe(0);
    const { path, instant } = lastLineOf(saved);
    if (instant < startAt) return { waiting, path, instant };
    await api.expect(200, api.post(`/subscriptions/${String(waiting.id)}/cancel`));
  }
}

test('charges after a backup are found again, and no payer is charged twice', async () => {
  const source = join(folder, 'source');
  const before = start(source);
  const { gatewayUrl, liveKey } = await eventually(
    () => JSON.parse(before.output()) as { gatewayUrl: string; liveKey: string },
    waitMs,
  );
  const api = new ApiClient(gatewayUrl, liveKey);
  const monthly = { type: 'FLAT', currency: 'USD', amount: 2900, billingInterval: 'MONTHLY' };
  const product = await api.expect(201, api.post('/products', { name: 'Monthly', ...monthly }));
  const paid = await subscribe(api, product.id);
  const { number } = await untilPaid(api, paid);
  const terms = { customerId: paid.customerId as string, productId: product.id as string };
  const { waiting, path, instant } = await backUpBefore(api, { ...terms, dataDir: source });

  const charged = await untilPaid(api, waiting);
  const lost = await subscribe(api, product.id);
  await untilPaid(api, lost);
  await end(before.command);
  const taken = stripe.account.taken();

  const target = join(folder, 'target');
  expect((await run('restore', '--from', path, '--data', target)).code).toBe(0);
  const after = start(target);
  await eventually(() => {
    expect(after.progress()).toContain('The system stays closed');
  }, waitMs);
  const found = await run('reconcile', '--data', target, '--json');
  expect(found.code).toBe(1);
  const report = lastLineOf(found);
  expect(report).toMatchObject({
    ...{ instant, findings: [], opened: false },
    unmatchedCharges: [{ provider: 'stripe', amount: 2900, currency: 'USD' }],
  });
  const metadata = report.unmatchedCharges[0].metadata;
  expect(metadata.billing_invoice).not.toBe(charged.id);
  expect((await api.get('/invoices')).status).toBe(503);

  const reason = 'The payer of the lost charge was refunded';
  const opened = await run('reconcile', '--data', target, '--open', reason, '--json');
  expect(lastLineOf(opened)).toMatchObject({ opened: true, code: report.code });
  const same = new ApiClient(gatewayUrl, liveKey);
  await eventually(async () => {
    expect(await invoiceOf(same, paid)).toMatchObject({ number, status: 'PAID' });
  }, waitMs);
  const recovered = await untilPaid(same, waiting);
  expect(recovered).toMatchObject({
    id: charged.id,
    number: expect.stringMatching(new RegExp(`^INV-${String(report.code)}-\\d{6}$`)),
    payments: [{ status: 'SUCCEEDED', amount: 2900, provider: 'stripe' }],
  });
  expect((await same.get(`/subscriptions/${String(lost.id)}`)).status).toBe(404);
  expect(stripe.account.taken()).toEqual(taken);
});
