import type { CallContext } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import type { RunningService } from '@billing/chassis/service';
import { dropTestDatabase, dropTestStream, testContext } from '@billing/chassis/testing';
import {
  CreateCustomerRequest,
  type CustomerServiceServer,
  CustomerServiceService,
} from '@billing/proto/billing/customer/v1/customer';
import {
  type PortalServiceServer,
  PortalServiceService,
} from '@billing/proto/billing/customer/v1/portal';
import { start } from './service';
import { customerTestConfiguration } from './testing/configuration';

// A request with less than two seconds left by the service's clock is refused before its first
// write; see StoringGate. By the real clock calls have 25 s, so that the refusal arrives in time.
const deadlineMs = 25_000;
const lateByMs = deadlineMs - 1_000;
let clockOffsetMs = 0;
const clock = { now: () => new Date(systemClock.now().getTime() + clockOffsetMs) };

const configuration = customerTestConfiguration(undefined, 'https://pay.example');
const email = 'ada@example.com';
let service: RunningService;
let mongo: MongoConnection;
let customers: Peer<CustomerServiceServer>;
let portal: Peer<PortalServiceServer>;

beforeAll(async () => {
  service = await start(configuration, { clock });
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
  const options = { address: service.address, service: 'test' };
  customers = connectPeer<CustomerServiceServer>(CustomerServiceService, options);
  portal = connectPeer<PortalServiceServer>(PortalServiceService, options);
});

afterEach(() => {
  clockOffsetMs = 0;
});

afterAll(async () => {
  customers.close();
  portal.close();
  await mongo.close();
  await service.stop();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

const aCustomer = (context: CallContext) =>
  customers.createCustomer(CreateCustomerRequest.fromPartial({ email }), context);

const createSession = (context: CallContext, customerId: string) =>
  portal.createPortalSession({ customerId, returnUrl: undefined }, context);

const calls: [string, string[], (context: CallContext, customerId: string) => Promise<unknown>][] =
  [
    ['creates no customer', ['customers'], aCustomer],
    ['creates no portal session', ['portalSessions'], createSession],
    [
      'takes no sign-in of an address and creates no session',
      ['portalSignIns', 'portalSessions'],
      (context) => portal.startPortalSignIns({ email }, context),
    ],
  ];

describe('a call with too little time left', () => {
  test.each(calls)('%s', async (_name, collections, call) => {
    const { tenant } = testContext();
    const { environmentId } = tenant;
    const { customer } = await aCustomer(testContext({ tenant }));
    const customerId = customer?.id ?? '';
    const counts = () =>
      Promise.all(
        collections.map((name) => mongo.db.collection(name).countDocuments({ environmentId })),
      );
    const before = await counts();
    clockOffsetMs = lateByMs;
    await expect(call(testContext({ tenant, deadlineMs }), customerId)).rejects.toMatchObject({
      kind: 'unavailable',
      reason: 'TOO_LATE_TO_STORE',
    });
    expect(await counts()).toEqual(before);
    clockOffsetMs = 0;
    await call(testContext({ tenant, deadlineMs }), customerId);
    expect(await counts()).toEqual(before.map((count) => count + 1));
  });
});
