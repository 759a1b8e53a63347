import { nameKey } from '../peer/customer-directory';
import { requireKnown } from './require-known';

const customerIds = new Set(['ada', 'bob']);

/** A batch whose customers were looked up some time ago, and those that are known by now. */
function batch(sinceMs: number, known: readonly string[]) {
  const questions: unknown[] = [];
  const findCustomers = (names: readonly { readonly value: string }[]) => {
    questions.push(names);
    return Promise.resolve(
      new Map(known.map((value) => [nameKey({ kind: 'id', value }), value] as const)),
    );
  };
  return { questions, require: () => requireKnown(customerIds, { sinceMs, findCustomers }) };
}

test('a batch that took ten seconds is acknowledged without another lookup', async () => {
  const { questions, require } = batch(10_000, []);
  await require();
  expect(questions).toEqual([]);
});

test('a slower batch is acknowledged if each of its customers is still known', async () => {
  const { questions, require } = batch(10_001, ['ada', 'bob']);
  await require();
  expect(questions).toEqual([
    [
      { kind: 'id', value: 'ada' },
      { kind: 'id', value: 'bob' },
    ],
  ]);
});

test('a slower batch with a customer deleted since is not acknowledged', async () => {
  const { require } = batch(10_001, ['ada']);
  await expect(require()).rejects.toMatchObject({ reason: 'CUSTOMER_DELETED' });
});
