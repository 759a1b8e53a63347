import { CustomerDirectory, type CustomerName, nameKey } from './customer-directory';

const named = (value: string): CustomerName => ({ kind: 'externalId', value });

/** Stands in for the customer service: knows some customers and records each query. */
function owner(isKnown: (name: CustomerName) => boolean = () => true) {
  const questions: string[][] = [];
  const ask = async (names: readonly CustomerName[]) => {
    questions.push(names.map(({ value }) => value));
    return new Map(names.filter(isKnown).map((name) => [nameKey(name), `id of ${name.value}`]));
  };
  return { questions, ask };
}

test('known customers are queried once, unknown ones each time, separately for each environment', async () => {
  const directory = new CustomerDirectory(10);
  const { questions, ask } = owner(({ value }) => value === 'ada');
  const find = (environmentId: string) =>
    directory.find(environmentId, [named('ada'), named('ada'), named('bob')], ask);
  const known = new Map([[nameKey(named('ada')), 'id of ada']]);
  expect(await find('one')).toEqual(known);
  expect(await find('one')).toEqual(known);
  expect(await find('two')).toEqual(known);
  expect(questions).toEqual([['ada', 'bob'], ['bob'], ['ada', 'bob']]);
});

test('one query covers a thousand customers, and known customers need none', async () => {
  const directory = new CustomerDirectory(1_000);
  const { questions, ask } = owner();
  const names = Array.from({ length: 1_000 }, (_, index) => named(String(index)));
  expect((await directory.find('one', names, ask)).size).toBe(1_000);
  expect((await directory.find('one', names, ask)).size).toBe(1_000);
  expect(questions).toEqual([names.map(({ value }) => value)]);
});

test('an id and an external id with the same text are two customers', async () => {
  const directory = new CustomerDirectory(10);
  const names: CustomerName[] = [named('x'), { kind: 'id', value: 'x' }];
  const found = await directory.find(
    'one',
    names,
    async (asked) => new Map(asked.map((name) => [nameKey(name), name.kind])),
  );
  expect([...found.values()].toSorted()).toEqual(['externalId', 'id']);
});

test('the least recently used name is evicted first', async () => {
  const directory = new CustomerDirectory(2);
  const { questions, ask } = owner();
  await directory.find('one', [named('x'), named('y')], ask);
  await directory.find('one', [named('x')], ask);
  await directory.find('one', [named('z')], ask);
  await directory.find('one', [named('x')], ask);
  await directory.find('one', [named('y')], ask);
  expect(questions).toEqual([['x', 'y'], ['z'], ['y']]);
});

test('an id is cached for five seconds, and an external id, which may get another customer, for one', async () => {
  let nowMs = 0;
  const directory = new CustomerDirectory(10, () => nowMs);
  const { questions, ask } = owner();
  const names: CustomerName[] = [named('ada'), { kind: 'id', value: 'bob' }];
  const findAt = async (ms: number) => {
    nowMs = ms;
    await directory.find('one', names, async (asked) => {
      // The time of the call counts, not that of its answer.
      nowMs += 400;
      return ask(asked);
    });
  };
  await findAt(0);
  await findAt(999);
  expect(questions).toEqual([['ada', 'bob']]);
  await findAt(1_000);
  expect(questions.slice(1)).toEqual([['ada']]);
  await findAt(5_000);
  expect(questions.slice(2)).toEqual([['ada', 'bob']]);
});
