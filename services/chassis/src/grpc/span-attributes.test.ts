import { Metadata, status } from '@grpc/grpc-js';
import { DomainError } from '@billing/kernel/domain-error';
import { fromServiceError } from './grpc-status';
import { aggregateAttributes } from '../telemetry/tracing';
import {
  callerAttributes,
  clientOutcome,
  eventAttributes,
  rpcAttributes,
  serverOutcome,
} from './span-attributes';

const environment = { environmentId: 'e', live: true };

test("a call's span contains service and method", () => {
  expect(rpcAttributes('/billing.customer.v1.CustomerService/GetCustomer')).toEqual({
    'rpc.system': 'grpc',
    'rpc.service': 'billing.customer.v1.CustomerService',
    'rpc.method': 'GetCustomer',
  });
});

test("a caller's attributes contain request and environment, never scopes or keys", () => {
  const metadata = new Metadata();
  metadata.set('request-id', 'r');
  metadata.set('environment-id', 'e');
  metadata.set('environment-live', 'false');
  metadata.set('scopes', 'customers:read');
  metadata.set('idempotency-key', 'a2V5');
  expect(callerAttributes(metadata)).toEqual({
    'billing.request_id': 'r',
    'billing.environment_id': 'e',
    'billing.live': false,
  });
  expect(callerAttributes(new Metadata())['billing.live']).toBeUndefined();
});

test.each([
  ['a success', undefined, 0, 0],
  ['a refusal', new DomainError('not_found', 'NO', 'No'), 5, 5],
  ['a bug', new Error('lost'), 13, 13],
  ['a peer that is full', fromServiceError(serviceError(status.RESOURCE_EXHAUSTED)), 14, 8],
])('%s has the code that its side of the call saw', (_case, error, sent, received) => {
  expect(serverOutcome(error)).toEqual({ 'rpc.grpc.status_code': sent });
  expect(clientOutcome(error)).toEqual({ 'rpc.grpc.status_code': received });
});

test.each([
  ['customer', { 'billing.customer_id': 'id', 'billing.subscription_id': undefined }],
  ['subscription', { 'billing.customer_id': 'c', 'billing.subscription_id': 'id' }],
  ['invoice', { 'billing.customer_id': 'c', 'billing.subscription_id': 's' }],
])('work on a %s contains customer and subscription', (aggregate, expected) => {
  const document = {
    _id: 'id',
    ...environment,
    ...(aggregate === 'subscription' && { customer: { id: 'c', email: 'a@example.com' } }),
    ...(aggregate === 'invoice' && { customerId: 'c' }),
    ...(aggregate === 'invoice' && { subscriptionId: 's' }),
  };
  expect(aggregateAttributes(aggregate, document, 3)).toEqual({
    'billing.aggregate': aggregate,
    'billing.aggregate_id': 'id',
    'billing.sequence': 3,
    'billing.environment_id': 'e',
    'billing.live': true,
    ...expected,
  });
});

test("an event's attributes are read from its envelope", () => {
  const data = JSON.stringify({
    subject: 's',
    sequence: 2,
    environmentid: 'e',
    environmentlive: true,
    data: { subscription: { customerId: 'c', authorizedTransactionId: 'txn_secret' } },
  });
  expect(eventAttributes({ subject: 'subscription.subscription.renewed', data })).toEqual({
    'billing.aggregate': 'subscription',
    'billing.aggregate_id': 's',
    'billing.sequence': 2,
    'billing.environment_id': 'e',
    'billing.live': true,
    'billing.customer_id': 'c',
    'billing.subscription_id': 's',
  });
});

test.each(['no JSON', 'null', '"text"'])(
  'an event that contains %s is identified by its subject',
  (data) => {
    expect(eventAttributes({ subject: 'a.order.paid', data })).toEqual({
      'billing.aggregate': 'order',
    });
  },
);

function serviceError(code: status) {
  return Object.assign(new Error('refused'), { code, details: '', metadata: new Metadata() });
}
