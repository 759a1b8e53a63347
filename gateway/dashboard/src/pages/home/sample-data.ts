import type { ApiRequest } from '../../api/client';

/** A request of the sample data; `$name` in its body stands for the id of an earlier step. */
export interface SampleStep {
  readonly name: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const monthly = { currency: 'USD', billingInterval: 'MONTHLY' };

/** Test cards of the sandbox, as the authorization of a first payment. */
const paysAlways = 'txn_4242424242424242';
const failsLater = 'txn_4000000000000341';

/** A small shop: two products, three customers with subscriptions, and a checkout link. */
export const sampleSteps: readonly SampleStep[] = [
  {
    name: 'starter',
    path: '/v1/products',
    body: { ...monthly, name: 'Starter', type: 'FLAT', amount: 1_900 },
  },
  {
    name: 'team',
    path: '/v1/products',
    body: {
      ...monthly,
      name: 'Team',
      type: 'TIERED',
      amount: 0,
      tiers: [
        { upTo: '10', unitAmount: '800' },
        { upTo: null, unitAmount: '600' },
      ],
    },
  },
  {
    name: 'ada',
    path: '/v1/customers',
    body: { email: 'ada@example.com', name: 'Ada Lovelace' },
  },
  {
    name: 'grace',
    path: '/v1/customers',
    body: { email: 'grace@example.com', name: 'Grace Hopper' },
  },
  { name: 'alan', path: '/v1/customers', body: { email: 'alan@example.com', name: 'Alan Turing' } },
  subscription('ada', 'starter', { authorizedTransactionId: `${paysAlways}_sample_ada` }),
  subscription('grace', 'team', {
    quantity: 12,
    authorizedTransactionId: `${paysAlways}_sample_grace`,
  }),
  subscription('alan', 'starter', { authorizedTransactionId: `${failsLater}_sample_alan` }),
  {
    name: 'link',
    path: '/v1/checkout-links',
    body: { label: 'Plans', productIds: ['$starter', '$team'] },
  },
];

function subscription(customer: string, product: string, options: object): SampleStep {
  const body = { customerId: `$${customer}`, productId: `$${product}`, ...options };
  return { name: `subscription of ${customer}`, path: '/v1/subscriptions', body };
}

/**
 * Creates the sample data step by step. Every step has a fixed idempotency key, so running it again
 * after a failure continues instead of creating anything twice.
 */
export async function createSampleData(
  send: (request: ApiRequest) => Promise<{ readonly id: string }>,
): Promise<void> {
  const ids = new Map<string, string>();
  for (const { name, path, body } of sampleSteps) {
    const idempotencyKey = `sample-data-${name.replaceAll(' ', '-')}`;
    const filled = filledIn(body, ids);
    const { id } = await send({ method: 'POST', path, body: filled, idempotencyKey });
    ids.set(name, id);
  }
}

function filledIn(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string' && value.startsWith('$')) return ids.get(value.slice(1));
  if (Array.isArray(value)) return value.map((one) => filledIn(one, ids));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filledIn(one, ids)]));
}
