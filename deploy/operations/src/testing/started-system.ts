import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@billing/chassis/logging';
import { makeSharedFolder } from '@billing/local/account';
import { readLauncherEnvironment } from '@billing/local/config';
import { type Infrastructure, startInfrastructure } from '@billing/local/infrastructure';
import { ensureSecrets } from '@billing/local/secrets';
import { type RunningSystem, startSystem } from '@billing/local/system';

const logger = createLogger({ service: 'test', level: 'silent' });
const log = () => undefined;

/** A system with servers of its own. */
export interface StartedSystem {
  infrastructure: Infrastructure;
  system: RunningSystem;
}

/** Makes a folder for servers of the calling file; from now on it uses no others. */
export async function makeServersFolder(): Promise<string> {
  delete process.env.MONGODB_URI;
  delete process.env.NATS_URL;
  const folder = await mkdtemp(join(tmpdir(), 'billing-test-data-'));
  await makeSharedFolder(folder);
  return folder;
}

/** Makes such a folder before the tests of the calling file, and deletes it after them. */
export function useServersFolder(onMade: (folder: string) => void): void {
  let folder: string;
  beforeAll(async () => {
    folder = await makeServersFolder();
    onMade(folder);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
}

/** Starts the services; `folder` gets the folders of their sockets. */
export async function startOn(
  infrastructure: Infrastructure,
  folder: string,
): Promise<RunningSystem> {
  const { mongodbUri, natsUrl, dataFolder } = infrastructure;
  const secrets = await ensureSecrets(dataFolder.path, { hasData: false });
  const names = { databasePrefix: 'billing', streamName: 'BILLING' };
  const runDir = await mkdtemp(join(folder, 'run-'));
  // The same address on both machines, so that the links of invoices are equal.
  const site = { ...names, runDir, port: 0, publicUrl: 'http://127.0.0.1:3000', secrets };
  return startSystem({ mongodbUri, natsUrl, ...site }, { logger });
}

/** Starts a database and a stream; with an archive, the database also writes its log there. */
export async function startServers(dataDir: string, archiveDir?: string): Promise<Infrastructure> {
  return startInfrastructure({ dataDir, archiveDir, log, environment: readLauncherEnvironment() });
}

export async function startAll(dataDir: string, folder: string): Promise<StartedSystem> {
  const infrastructure = await startServers(dataDir);
  return { infrastructure, system: await startOn(infrastructure, folder) };
}

export async function stopAll({ system, infrastructure }: StartedSystem): Promise<void> {
  await system.stop();
  await infrastructure.stop();
}

interface TestRequest {
  readonly path: string;
  readonly key: string;
  readonly body?: object;
  readonly method?: string;
}

/** Calls the API; a call with a body is a POST by default. */
export async function ask(
  { system }: StartedSystem,
  { path, key, body, method = body === undefined ? 'GET' : 'POST' }: TestRequest,
): Promise<Response> {
  return fetch(`${system.gatewayUrl}/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** Calls the API, and expects success. */
export async function call(started: StartedSystem, request: TestRequest): Promise<unknown> {
  const answer = await ask(started, request);
  expect([request.path, answer.ok]).toEqual([request.path, true]);
  return answer.json();
}

/** Invoice, as far as tests read it. */
export interface TestInvoice {
  readonly id: string;
  readonly number: string;
}

/** Creates a customer and an invoice of it, which is open. */
export async function createInvoice(started: StartedSystem, key: string): Promise<TestInvoice> {
  const payer = { email: 'a@b.co', collectionMethod: 'SEND_INVOICE', currency: 'USD' };
  const customer = await call(started, { path: '/customers', key, body: payer });
  const { id: customerId } = customer as { id: string };
  const lines = [{ description: 'Installation', amount: 500 }];
  const body = { customerId, lines, finalize: true };
  return (await call(started, { path: '/invoices', key, body })) as TestInvoice;
}

export async function listInvoices(
  started: StartedSystem,
  key: string,
): Promise<readonly TestInvoice[]> {
  const list = await call(started, { path: '/invoices', key });
  return (list as { data: readonly TestInvoice[] }).data;
}
