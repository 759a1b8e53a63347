import { tmpdir } from 'node:os';
import {
  type SystemServiceServer,
  SystemServiceService,
} from '@billing/proto/billing/system/v1/system';
import { newId } from '../ids';
import { connectPeer, type Peer } from '../grpc/peer';
import { type RunningService, Service } from './service';
import {
  dropTestDatabase,
  dropTestStream,
  eventually,
  testContext,
  testServiceConfiguration,
  testTenant,
} from '../testing/testing';

const configuration = testServiceConfiguration('full');
// More free space than any disk has.
const full = { DISK_RESERVE_FOLDER: tmpdir(), DISK_RESERVE_MB: 1e9 };

let replicas: { readonly running: RunningService; readonly calls: Peer<SystemServiceServer> }[];

async function startReplica(settings: Partial<typeof configuration> = {}) {
  const service = await Service.open('full', { ...configuration, ...settings });
  const running = await service.serve([]);
  const calls = connectPeer<SystemServiceServer>(SystemServiceService, {
    address: running.address,
    service: 'test',
    withoutTenant: ['getStatus', 'deleteEnvironment'],
  });
  return { running, calls };
}

describe('a service whose disk is full', () => {
  beforeAll(async () => {
    replicas = [await startReplica(full), await startReplica()];
  });

  afterAll(async () => {
    for (const { calls, running } of replicas) {
      calls.close();
      await running.stop();
    }
    await dropTestDatabase(configuration);
    await dropTestStream(configuration);
  });

  const inFullOne = () => replicas[0]!.calls;

  test('refuses a call that writes', async () => {
    const retrying = inFullOne().retryStuckCommand({ id: newId() }, testContext());
    await expect(retrying).rejects.toMatchObject({ kind: 'unavailable', reason: 'STORAGE_FULL' });
  });

  test('answers calls that only read', async () => {
    await expect(inFullOne().listStuckCommands({}, testContext())).resolves.toEqual({
      commands: [],
    });
  });

  test('deletes an environment, which frees space', async () => {
    const { environmentId } = testTenant();
    expect(await inFullOne().deleteEnvironment({ environmentId }, testContext())).toEqual({
      isDone: true,
    });
  });

  test('detects environments that another replica deleted', async () => {
    const tenant = testTenant();
    const { environmentId } = tenant;
    await replicas[1]!.calls.deleteEnvironment({ environmentId }, testContext());
    await eventually(async () => {
      await expect(
        inFullOne().listStuckCommands({}, testContext({ tenant })),
      ).rejects.toMatchObject({ reason: 'ENVIRONMENT_NOT_FOUND' });
    });
  });
});
