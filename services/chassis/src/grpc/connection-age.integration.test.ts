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

const connectionAgeMs = 5_000;
// Long enough for keepalive pings of both sides to arrive during calls on sessions that drain.
const callMs = 40_000;
const calls = 200;
const startedWithinMs = 8_000;
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
    { connectionAgeMs },
  );
  const peer = connectPeer<CustomerServiceServer>(CustomerServiceService, {
    address: server.address,
    service: 'test',
  });
  const outcomes = await Promise.all(
    Array.from({ length: calls }, async (_, index) => {
      await sleep((index * startedWithinMs) / calls);
      const context = testContext({ deadlineMs: callMs + 20_000 });
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
