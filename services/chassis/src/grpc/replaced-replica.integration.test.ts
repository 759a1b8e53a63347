import dns from 'node:dns';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type SystemServiceServer,
  SystemServiceService,
} from '@billing/proto/billing/system/v1/system';
import { monotonicMs, systemClock } from '../clock';
import { type GrpcServer, listen } from './grpc-server';
import { createLogger } from '../telemetry/logging';
import { connectPeer } from './peer';
import { rpcService } from './rpc';
import { eventually, testContext } from '../testing/testing';

const status = {
  service: 'test',
  version: '',
  startedAt: systemClock.now(),
  databaseReachable: true,
  streamReachable: true,
  outboxAgeSeconds: 0,
  streamLag: 0n,
  eventLoopDelaySeconds: 0,
  memoryBytes: 0n,
  replicas: [],
};
const logger = createLogger({ service: 'test', level: 'silent' });

// A call waits for a connection this long.
const connectMsMax = 1_000;
const neverCalled = () => Promise.reject(new Error('Never called'));

async function serve(version: string, address: string): Promise<GrpcServer> {
  const bind = rpcService<SystemServiceServer>(
    SystemServiceService,
    {
      getStatus: () => Promise.resolve({ ...status, version }),
      listStuckCommands: neverCalled,
      retryStuckCommand: neverCalled,
      skipStuckCommand: neverCalled,
      deleteEnvironment: () => Promise.resolve({ isDone: true }),
    },
    { withoutTenant: ['getStatus'] },
  );
  return listen(address, [bind({ service: 'test', clock: systemClock, logger })]);
}

const stop = (server: GrpcServer) => server.stop({ drainDelayMs: 0, graceMs: 200 });

/** Makes each lookup of a name return the next address, and later ones the last address. */
function mockLookups(addresses: string[]): void {
  jest.spyOn(dns.promises, 'lookup').mockImplementation((() => {
    const address = addresses.length > 1 ? addresses.shift() : addresses[0];
    return Promise.resolve([{ address, family: 4 }]);
  }) as never);
}

afterEach(() => {
  jest.restoreAllMocks();
});

test('a caller finds the replica that replaced another, although the first lookup returned the old address', async () => {
  const first = await serve('first', '127.0.0.2:0');
  const port = first.address.split(':')[1] ?? '';
  // A DNS cache returns the old address for a moment longer.
  mockLookups(['127.0.0.2', '127.0.0.2', '127.0.0.3']);
  const peer = connectPeer<SystemServiceServer>(SystemServiceService, {
    address: `dns:///replica.test:${port}`,
    service: 'test',
    withoutTenant: ['getStatus'],
  });
  const ask = async (deadlineMs: number) =>
    (await peer.getStatus({}, testContext({ deadlineMs }))).version;
  expect(await ask(20_000)).toBe('first');

  const second = await serve('second', `127.0.0.3:${port}`);
  await stop(first);
  await eventually(async () => {
    expect(await ask(5_000)).toBe('second');
  });
  peer.close();
  await stop(second);
});

test('a call that must not be repeated reaches a peer that has just restarted', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'billing-peer-'));
  const address = `unix:${join(folder, 'test.sock')}`;
  const peer = connectPeer<SystemServiceServer>(SystemServiceService, {
    address,
    service: 'test',
    withoutTenant: ['getStatus'],
    retries: false,
  });
  const ask = async () => (await peer.getStatus({}, testContext({ deadlineMs: 20_000 }))).version;
  try {
    await stop(await serve('first', address));
    let version: string | undefined;
    while (version === undefined) {
      // The pauses between attempts to connect have grown by then.
      for (let attempt = 1; attempt <= 3; attempt += 1) {
        await expect(ask()).rejects.toMatchObject({ kind: 'unavailable' });
      }
      const startMs = monotonicMs();
      const second = await serve('second', address);
      version = await ask()
        .catch((error: unknown) => {
          // A busy machine may take longer than a call waits for its connection: repeated.
          if (monotonicMs() - startMs < connectMsMax) throw error;
          return undefined;
        })
        .finally(() => stop(second));
    }
    expect(version).toBe('second');
  } finally {
    peer.close();
    await rm(folder, { recursive: true });
  }
});
