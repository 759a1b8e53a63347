import {
  CreateCustomerRequest,
  type CustomerServiceServer,
  CustomerServiceService,
} from '@billing/proto/billing/customer/v1/customer';
import { sleep, systemClock } from '../clock';
import { listen } from './grpc-server';
import { createLogger } from '../telemetry/logging';
import { connectPeer } from './peer';
import { rpcService } from './rpc';
import { testContext } from '../testing/testing';

// In each round keepalive pings of both sides arrive during calls on sessions that drain.
const round =
  process.env.TEST_TIER === 'nightly'
    ? { connectionAgeMs: 5_000, callMs: 40_000, calls: 200, startedWithinMs: 8_000 }
    : {
        ...{ connectionAgeMs: 500, callMs: 4_000, calls: 50, startedWithinMs: 1_500 },
        keepaliveMs: 600,
      };
const { callMs, calls, startedWithinMs, ...connection } = round;
const unused = () => Promise.reject(new Error('Never called'));

test('no call is cut when its connection reaches its maximum age during the call', async () => {
  const bind = rpcService<CustomerServiceServer>(CustomerServiceService, {
    getCustomer: async () => {
      await sleep(callMs);
      return { customer: undefined };
    },
    // The channel retries only idempotent calls; a retry would hide a cut.
    createCustomer: async () => {
      await sleep(callMs);
      return { customer: undefined };
    },
    getCustomers: unused,
    identifyCustomers: unused,
    fillCustomer: unused,
    fixCurrency: unused,
    listCustomers: unused,
    updateCustomer: unused,
    deleteCustomer: unused,
  });
  const logger = createLogger({ service: 'test', level: 'silent' });
  const server = await listen(
    '127.0.0.1:0',
    [bind({ service: 'test', clock: systemClock, logger })],
    connection,
  );
  const peer = connectPeer<CustomerServiceServer>(CustomerServiceService, {
    address: server.address,
    service: 'test',
    ...('keepaliveMs' in connection && { keepaliveMs: connection.keepaliveMs }),
  });
  const outcomes = await Promise.all(
    Array.from({ length: calls }, async (_, index) => {
      await sleep((index * startedWithinMs) / calls);
      const context = testContext({ deadlineMs: callMs + 60_000 });
      return peer.createCustomer(CreateCustomerRequest.create(), context).then(
        () => 'answered',
        (error: unknown) => String(error),
      );
    }),
  );
  peer.close();
  await server.stop({ drainDelayMs: 0, graceMs: 200 });
  expect(outcomes.filter((outcome) => outcome !== 'answered')).toEqual([]);
});
