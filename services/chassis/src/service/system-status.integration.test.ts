import {
  type SystemServiceServer,
  SystemServiceService,
} from '@billing/proto/billing/system/v1/system';
import { systemClock } from '../clock';
import { connectPeer, type Peer } from '../grpc/peer';
import { Service, type RunningService } from './service';
import {
  dropTestDatabase,
  dropTestStream,
  eventually,
  testContext,
  testServiceConfiguration,
} from '../testing/testing';

const configuration = testServiceConfiguration('status');

let running: RunningService;
let peer: Peer<SystemServiceServer>;
let service: Service;
let release = (): void => undefined;
const held = new Promise<void>((resolve) => {
  release = resolve;
});

beforeAll(async () => {
  service = await Service.open('status', { ...configuration, SERVICE_VERSION: '1.2.3' });
  service.consume({ durable: 'status', filterSubjects: ['test.>'], handle: () => held });
  running = await service.serve([]);
  peer = connectPeer<SystemServiceServer>(SystemServiceService, {
    address: running.address,
    service: 'test',
    withoutTenant: ['getStatus'],
  });
});

afterAll(async () => {
  release();
  peer.close();
  await running.stop();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

test('a service reports its identity, its start and the state of its dependencies', async () => {
  // A source that does not answer within its time is reported as not reachable.
  const status = await eventually(async () => {
    const read = await peer.getStatus({}, testContext());
    expect(read).toEqual({
      service: 'status',
      version: '1.2.3',
      startedAt: expect.any(Date),
      databaseReachable: true,
      streamReachable: true,
      streamReplicasMissing: 0,
      outboxAgeSeconds: 0,
      streamLag: 0n,
      eventLoopDelaySeconds: expect.any(Number),
      memoryBytes: expect.any(BigInt),
      replicas: [
        { id: expect.any(String), version: '1.2.3', seenAt: expect.any(Date), living: true },
      ],
    });
    return read;
  });
  expect(status.startedAt?.getTime()).toBeLessThanOrEqual(systemClock.now().getTime());
  expect(status.eventLoopDelaySeconds).toBeGreaterThanOrEqual(0);
  expect(status.memoryBytes).toBeGreaterThan(10_000_000n);
});

test('events that wait or are in flight are counted', async () => {
  for (const id of ['a:1', 'b:1', 'c:1']) {
    await service.stream.publish({ subject: 'test.event', id, data: '{}' });
  }
  await eventually(async () => {
    expect((await peer.getStatus({}, testContext())).streamLag).toBe(3n);
  });
});
