import { constants, createServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { DomainError } from '@billing/kernel/domain-error';
import {
  CreateCustomerRequest,
  Customer,
  type CustomerServiceServer,
  CustomerServiceService,
  type GetCustomerResponse,
} from '@billing/proto/billing/customer/v1/customer';
import type { CallContext } from './call-context';
import { monotonicMs, sleep, systemClock } from '../clock';
import { type GrpcServer, listen } from './grpc-server';
import { isServing, connectPeer, type Peer } from './peer';
import { createLogger } from '../telemetry/logging';
import { type AsyncHandlers, rpcService } from './rpc';
import { eventually, testContext } from '../testing/testing';

type Handler = AsyncHandlers<CustomerServiceServer>['getCustomer'];

const logger = createLogger({ service: 'test', level: 'silent' });
const answer: GetCustomerResponse = { customer: undefined };

describe('a call between services', () => {
  const closers: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  async function serve(getCustomer: Handler, address = '127.0.0.1:0'): Promise<GrpcServer> {
    const bind = rpcService<CustomerServiceServer>(CustomerServiceService, {
      getCustomer,
      createCustomer: () => Promise.reject(new DomainError('unavailable', 'X', 'Try again')),
      getCustomers: () => Promise.reject(new Error('Never called')),
      identifyCustomers: () => Promise.reject(new Error('Never called')),
      fillCustomer: () => Promise.reject(new Error('Never called')),
      fixCurrency: () => Promise.reject(new Error('Never called')),
      listCustomers: () => Promise.reject(new Error('Never called')),
      updateCustomer: () => Promise.reject(new Error('Never called')),
      deleteCustomer: () => Promise.reject(new Error('Never called')),
    });
    const server = await listen(address, [bind({ service: 'test', clock: systemClock, logger })]);
    closers.push(() => server.stop({ drainDelayMs: 0, graceMs: 200 }));
    return server;
  }

  function dial(address: string): Peer<CustomerServiceServer> {
    const peer = connectPeer<CustomerServiceServer>(CustomerServiceService, {
      address,
      service: 'test',
    });
    closers.push(() => {
      peer.close();
      return Promise.resolve();
    });
    return peer;
  }

  test('carries tenant, time, scopes and ids', async () => {
    const seen: CallContext[] = [];
    const server = await serve((_request, context) => {
      seen.push(context);
      return Promise.resolve(answer);
    });
    const now = new Date('2026-01-31T10:00:00.123Z');
    const context = {
      ...testContext({ now }),
      scopes: ['a:read', 'b:write'],
      idempotency: { key: 'ключ', requestHash: 'h' },
    };
    await dial(server.address).getCustomer({ id: 'x' }, context);
    const [{ tenant, scopes, requestId, idempotency, now: seenNow }] = seen as [CallContext];
    expect({ tenant, scopes, requestId, idempotency, now: seenNow }).toEqual({
      tenant: context.tenant,
      scopes: context.scopes,
      requestId: context.requestId,
      idempotency: context.idempotency,
      now,
    });
  });

  test('is refused without a deadline', async () => {
    const server = await serve(() => Promise.resolve(answer));
    const client = new Client(server.address, credentials.createInsecure());
    const { getCustomer } = CustomerServiceService;
    const error = await new Promise<ServiceError | null>((resolve) => {
      client.makeUnaryRequest(
        getCustomer.path,
        getCustomer.requestSerialize,
        getCustomer.responseDeserialize,
        { id: 'x' },
        new Metadata(),
        resolve,
      );
    });
    client.close();
    expect(error?.details).toBe('A call must have a deadline');
  });

  test('is refused without a tenant', async () => {
    const server = await serve(() => Promise.resolve(answer));
    const peer = connectPeer<CustomerServiceServer>(CustomerServiceService, {
      address: server.address,
      service: 'test',
      withoutTenant: ['getCustomer'],
    });
    await expect(peer.getCustomer({ id: 'x' }, testContext())).rejects.toMatchObject({
      reason: 'TENANT_REQUIRED',
    });
    peer.close();
  });

  test('returns a domain error as it was thrown, with its fields', async () => {
    const fields = { name: ['Required', 'Too long'], ü: ['ß'] };
    const server = await serve(() =>
      Promise.reject(new DomainError('invalid_input', 'INVALID_REQUEST', 'Not so', { fields })),
    );
    await expect(
      dial(server.address).getCustomer({ id: 'x' }, testContext()),
    ).rejects.toMatchObject({
      kind: 'invalid_input',
      reason: 'INVALID_REQUEST',
      message: 'Not so',
      fields,
    });
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('a secret detail');
      },
    ],
    ['rejects', () => Promise.reject(new Error('a secret detail'))],
  ])('that %s with a bug reveals nothing of it', async (_case, handler) => {
    const server = await serve(handler);
    const call = dial(server.address).getCustomer({ id: 'x' }, testContext());
    await expect(call).rejects.toThrow('INTERNAL');
    await expect(call).rejects.not.toThrow('secret');
  });

  test('with an answer that cannot be serialized is a bug', async () => {
    const server = await serve(() => Promise.resolve({ customer: { email: 1 } } as never));
    const call = dial(server.address).getCustomer({ id: 'x' }, testContext());
    await expect(call).rejects.toThrow('INTERNAL');
  });

  test('has an answer as large as a page of the largest resources', async () => {
    const name = 'x'.repeat(8 * 1024 * 1024);
    const server = await serve(() => Promise.resolve({ customer: Customer.create({ name }) }));
    const { customer } = await dial(server.address).getCustomer({ id: 'x' }, testContext());
    expect(customer?.name).toHaveLength(name.length);
  });

  test.each([
    ['ended without a status', constants.NGHTTP2_NO_ERROR],
    ['cancelled by the peer', constants.NGHTTP2_CANCEL],
    ['reset', constants.NGHTTP2_INTERNAL_ERROR],
  ])('whose stream is %s is unavailable, because its outcome is unknown', async (_case, code) => {
    const forcedStop = createServer();
    const sessions = new Set<ServerHttp2Session>();
    forcedStop.on('session', (session) => sessions.add(session));
    forcedStop.on('stream', (stream) => {
      stream.on('error', () => undefined);
      stream.respond({ 'content-type': 'application/grpc' });
      stream.close(code);
    });
    await new Promise<void>((resolve) => forcedStop.listen(0, '127.0.0.1', resolve));
    closers.push(() => {
      for (const session of sessions) session.destroy();
      return new Promise((resolve) =>
        forcedStop.close(() => {
          resolve();
        }),
      );
    });
    const { port } = forcedStop.address() as AddressInfo;
    const peer = dial(`127.0.0.1:${String(port)}`);
    const request = CreateCustomerRequest.create();
    await expect(peer.createCustomer(request, testContext())).rejects.toMatchObject({
      kind: 'unavailable',
      reason: 'PEER_UNAVAILABLE',
    });
  });

  test('passes its deadline and its cancellation on to the next service', async () => {
    const seen: CallContext[] = [];
    const last = await serve(async (_request, context) => {
      seen.push(context);
      await sleep(120_000, context.signal);
      return answer;
    });
    const next = dial(last.address);
    const middle = await serve((request, context) => next.getCustomer(request, context));
    const caller = new AbortController();
    const startedMs = monotonicMs();
    const context = { ...testContext(), signal: caller.signal };
    const call = dial(middle.address).getCustomer({ id: 'x' }, context);
    call.catch(() => undefined);
    await eventually(() => {
      expect(seen).toHaveLength(1);
    });
    // The time left is sent, so that the deadline moves by the time on the way at most.
    const movedMs = (seen[0]?.deadline.getTime() ?? 0) - context.deadline.getTime();
    expect(Math.abs(movedMs)).toBeLessThan(1_000 + monotonicMs() - startedMs);
    caller.abort();
    await expect(call).rejects.toThrow('Timed out');
    await eventually(() => {
      expect(seen[0]?.signal.aborted).toBe(true);
    });
  });

  test('ends at its deadline and reports a timeout', async () => {
    const server = await serve(async (_request, { signal }) => {
      await sleep(120_000, signal);
      return answer;
    });
    const call = dial(server.address).getCustomer({ id: 'x' }, testContext({ deadlineMs: 200 }));
    await expect(call).rejects.toMatchObject({ name: 'DeadlineExceededError' });
  });

  test('is retried while the service is unavailable, but only if it is idempotent', async () => {
    let calls = 0;
    const server = await serve(() => {
      calls += 1;
      return calls < 3
        ? Promise.reject(new DomainError('unavailable', 'X', 'Try again'))
        : Promise.resolve(answer);
    });
    const peer = dial(server.address);
    await peer.getCustomer({ id: 'x' }, testContext());
    expect(calls).toBe(3);
    const request = CreateCustomerRequest.fromJSON({ email: 'a@b.c' });
    await expect(peer.createCustomer(request, testContext())).rejects.toMatchObject({
      kind: 'unavailable',
    });
  });

  test('reaches a service again that was restarted on the same socket', async () => {
    const address = `unix:/tmp/billing-rpc-${testContext().requestId.slice(-12)}.sock`;
    const first = await serve(() => Promise.resolve(answer), address);
    const peer = dial(address);
    await peer.getCustomer({ id: 'x' }, testContext());
    await first.stop({ drainDelayMs: 0, graceMs: 0 });
    await expect(peer.getCustomer({ id: 'x' }, testContext())).rejects.toMatchObject({
      kind: 'unavailable',
    });
    await serve(() => Promise.resolve(answer), address);
    await eventually(() => peer.getCustomer({ id: 'x' }, testContext()));
  });

  test('that runs when the server stops still gets its answer', async () => {
    let started = false;
    const server = await serve(async () => {
      started = true;
      await sleep(300);
      return answer;
    });
    const call = dial(server.address).getCustomer({ id: 'x' }, testContext());
    await eventually(() => {
      expect(started).toBe(true);
    });
    await server.stop({ drainDelayMs: 0, graceMs: 60_000 });
    await expect(call).resolves.toEqual(answer);
  });

  test('the health service reports if the service serves', async () => {
    const server = await serve(() => Promise.resolve(answer));
    const check = () =>
      isServing(server.address, { deadline: new Date(systemClock.now().getTime() + 20_000) });
    expect(await check()).toBe(false);
    server.setServing(true);
    expect(await check()).toBe(true);
    await server.stop({ drainDelayMs: 0, graceMs: 0 });
    expect(await check()).toBe(false);
  });
});
