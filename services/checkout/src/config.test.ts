import { readConfig } from './config';

const peer = 'dns:///127.0.0.1:50051';
const env = {
  MONGODB_URI: 'mongodb://localhost',
  MONGODB_DATABASE: 'checkout',
  NATS_URL: 'localhost:4222',
  GRPC_LISTEN: 'localhost:0',
  CATALOG_ADDRESS: peer,
  CUSTOMER_ADDRESS: peer,
  DISCOUNT_ADDRESS: peer,
  SUBSCRIPTION_ADDRESS: peer,
  HOSTED_PAGE_URL: 'https://pay.example/',
  HOSTED_PAGE_SECRET: 'a secret that is known to the tests alone',
};

test.each([
  [undefined, [3, 7, 14]],
  ['', [3, 7, 14]],
  ['1', [1]],
  ['2, 7,30', [2, 7, 30]],
])('DUNNING_RETRY_DAYS %s gives retries after these days: %j', (DUNNING_RETRY_DAYS, days) => {
  expect(readConfig({ ...env, DUNNING_RETRY_DAYS }).DUNNING_RETRY_DAYS).toEqual(days);
});

test.each(['0', '7,3', '3,3', '1.5', 'x', '366', '1,2,3,4,5,6,7,8,9,10,11'])(
  'DUNNING_RETRY_DAYS "%s" is refused',
  (DUNNING_RETRY_DAYS) => {
    expect(() => readConfig({ ...env, DUNNING_RETRY_DAYS })).toThrow(/DUNNING_RETRY_DAYS: must be/);
  },
);
