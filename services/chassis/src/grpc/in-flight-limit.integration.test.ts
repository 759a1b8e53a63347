import {
  type CustomerServiceServer,
  CustomerServiceService,
  ListCustomersRequest,
  UpdateCustomerRequest,
} from '@billing/proto/billing/customer/v1/customer';
import { sleep, systemClock } from '../clock';
import { type GrpcServer, listen } from './grpc-server';
import { isServing, connectPeer, type Peer } from './peer';
import { InFlightLimit } from '../concurrency/semaphore';
import { createLogger } from '../telemetry/logging';
import { rpcService } from './rpc';
import { eventually, testContext } from '../testing/testing';

const logger = createLogger({ service: 'test', level: 'silent' });
const neverCalled = () => Promise.reject(new Error('Never called'));
const max = 3;

describe('a server with the maximum number of calls in flight', () => {
  let release: AbortController;
  let running = 0;
  let calls: Promise<unknown>[];
  let server: GrpcServer;
  let peer: Peer<CustomerServiceServer>;

  beforeEach(async () => {
    release = new AbortController();
    const bind = rpcService<CustomerServiceServer>(
      CustomerServiceService,
      {
        getCustomer: async () => {
          running += 1;
          await sleep(120_000, release.signal);
          running -= 1;
          return { customer: undefined };
        },
        createCustomer: neverCalled,
        getCustomers: neverCalled,
        identifyCustomers: neverCalled,
        fillCustomer: neverCalled,
        fixCurrency: neverCalled,
        listCustomers: () => Promise.resolve({ customers: [], total: 0 }),
        updateCustomer: () => Promise.resolve({ customer: undefined }),
        deleteCustomer: () => Promise.resolve({ customer: undefined }),
      },
      { unlimited: ['updateCustomer'] },
    );
    const inFlightLimit = new InFlightLimit(max);
    const bound = bind({ service: 'test', clock: systemClock, logger, inFlightLimit });
    server = await listen('127.0.0.1:0', [bound]);
    server.setServing(true);
    peer = connectPeer<CustomerServiceServer>(CustomerServiceService, {
      address: server.address,
      service: 'test',
      // Retries would only make the test wait.
      retries: false,
    });
  });
  afterEach(async () => {
    release.abort();
    peer.close();
    await server.stop({ drainDelayMs: 0, graceMs: 1_000 });
  });

  async function fill(): Promise<void> {
    calls = Array.from({ length: max }, () => peer.getCustomer({ id: 'x' }, testContext()));
    await eventually(() => {
      expect(running).toBe(max);
    });
  }

  test('refuses the next one before any work, and accepts calls again once one has ended', async () => {
    await fill();
    const next = peer.getCustomer({ id: 'x' }, testContext());
    await expect(next).rejects.toMatchObject({ kind: 'unavailable', reason: 'OVERLOADED' });
    expect(running).toBe(max);
    release.abort();
    await Promise.all(calls);
    await expect(peer.getCustomer({ id: 'x' }, testContext())).resolves.toBeDefined();
  });

  test('refuses no caller that stays within the limit, however many calls it makes in total', async () => {
    const careful = connectPeer<CustomerServiceServer>(CustomerServiceService, {
      address: server.address,
      service: 'test',
      retries: false,
      callsMax: max,
    });
    calls = Array.from({ length: 3 * max }, () => careful.getCustomer({ id: 'x' }, testContext()));
    await eventually(() => {
      expect(running).toBe(max);
    });
    release.abort();
    await expect(Promise.all(calls)).resolves.toHaveLength(3 * max);
    careful.close();
  });

  test('counts all methods together', async () => {
    await fill();
    const request = ListCustomersRequest.fromJSON({ page: 1, perPage: 1 });
    await expect(peer.listCustomers(request, testContext())).rejects.toMatchObject({
      reason: 'OVERLOADED',
    });
  });

  test('still answers calls that other calls wait for, and health checks', async () => {
    await fill();
    const request = UpdateCustomerRequest.fromJSON({ id: 'x' });
    await expect(peer.updateCustomer(request, testContext())).resolves.toBeDefined();
    const deadline = new Date(systemClock.now().getTime() + 20_000);
    expect(await isServing(server.address, { deadline })).toBe(true);
  });

  test('frees the place of a call that fails', async () => {
    const limit = new InFlightLimit(1);
    await expect(limit.run(neverCalled)).rejects.toThrow('Never called');
    await expect(limit.run(() => Promise.resolve('done'))).resolves.toBe('done');
  });
});

describe('a connection that has reached its maximum age', () => {
  test('is replaced without a failed call', async () => {
    const bind = rpcService<CustomerServiceServer>(CustomerServiceService, {
      getCustomer: async () => {
        await sleep(5);
        return { customer: undefined };
      },
      createCustomer: neverCalled,
      getCustomers: neverCalled,
      identifyCustomers: neverCalled,
      fillCustomer: neverCalled,
      fixCurrency: neverCalled,
      listCustomers: neverCalled,
      updateCustomer: neverCalled,
      deleteCustomer: neverCalled,
    });
    const bound = bind({ service: 'test', clock: systemClock, logger });
    const server = await listen('localhost:0', [bound], { connectionAgeMs: 100 });
    const peer = connectPeer<CustomerServiceServer>(CustomerServiceService, {
      address: `dns:///${server.address}`,
      service: 'test',
      // A retry would hide the failure.
      retries: false,
    });
    const until = systemClock.now().getTime() + 1_500;
    while (systemClock.now().getTime() < until) {
      await peer.getCustomer({ id: 'x' }, testContext());
    }
    peer.close();
    await server.stop({ drainDelayMs: 0, graceMs: 200 });
  });
});
