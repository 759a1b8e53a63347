import type { CallContext } from '@billing/chassis/call-context';
import { testContext } from '@billing/chassis/testing';
import { CustomerClient } from './customer';
import { aProtoCustomer } from '../testing/customer-facts';
import {} from '../testing/service-under-test';

/** The customer service's side of the contract: returns known customers in no particular order. */
function someCustomers(...known: string[]) {
  const calls: string[][] = [];
  const getCustomers = async ({ ids }: { ids: string[] }) => {
    calls.push(ids);
    const found = known.filter((id) => ids.includes(id)).reverse();
    return { customers: found.map((id) => aProtoCustomer({ id, name: `Name of ${id}` })) };
  };
  return { calls, client: new CustomerClient({ getCustomers }) };
}

const nameOf = async (client: CustomerClient, id: string, context: CallContext) =>
  (await client.find(id, context))?.name;

describe('concurrent reads of customers', () => {
  test('share one call that asks for each customer once', async () => {
    const { calls, client } = someCustomers('a', 'b');
    const context = testContext();
    const names = await Promise.all(['a', 'b', 'a', 'c'].map((id) => nameOf(client, id, context)));
    expect(names).toEqual(['Name of a', 'Name of b', 'Name of a', undefined]);
    expect(calls).toEqual([['a', 'b', 'c']]);
  });

  test('of two environments never share a call', async () => {
    const { calls, client } = someCustomers('a');
    await Promise.all(
      [testContext(), testContext()].map((context) => nameOf(client, 'a', context)),
    );
    expect(calls).toEqual([['a'], ['a']]);
  });

  test('are split into calls of at most 100', async () => {
    const { calls, client } = someCustomers();
    const context = testContext();
    await Promise.all(
      Array.from({ length: 250 }, (_, index) => nameOf(client, `${index}`, context)),
    );
    expect(calls.map(({ length }) => length)).toEqual([100, 100, 50]);
  });

  test('all fail when their call fails', async () => {
    const client = new CustomerClient({ getCustomers: () => Promise.reject(new Error('down')) });
    const context = testContext();
    const answers = await Promise.allSettled(['a', 'b'].map((id) => client.find(id, context)));
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
