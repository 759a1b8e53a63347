import { CustomerDirectory, type CustomerName, nameKey } from './customer-directory';

const named = (value: string): CustomerName => ({ kind: 'externalId', value });

test('known customers are asked for once, unknown ones each time, in each environment apart', async () => {
  const directory = new CustomerDirectory(10);
  const asked: string[] = [];
  const ask = async ({ value }: CustomerName) => {
    asked.push(value);
    return value === 'ada' ? 'id-of-ada' : undefined;
  };
  const find = (environmentId: string) =>
    directory.find(environmentId, [named('ada'), named('ada'), named('bob')], ask);
  expect(await find('one')).toEqual(new Map([[nameKey(named('ada')), 'id-of-ada']]));
  await find('one');
  expect(asked.toSorted()).toEqual(['ada', 'bob', 'bob']);
  await find('two');
  expect(asked.filter((value) => value === 'ada')).toHaveLength(2);
});

test('an id and a name of its own that read alike are two customers', async () => {
  const directory = new CustomerDirectory(10);
  const names: CustomerName[] = [named('x'), { kind: 'id', value: 'x' }];
  const found = await directory.find('one', names, async ({ kind }) => kind);
  expect([...found.values()].toSorted()).toEqual(['externalId', 'id']);
});

test('the one looked up longest ago is forgotten, and few questions run at once', async () => {
  const directory = new CustomerDirectory(2, 2);
  let running = 0;
  let most = 0;
  const asked: string[] = [];
  const ask = async ({ value }: CustomerName) => {
    asked.push(value);
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
    return value;
  };
  await directory.find('one', ['a', 'b', 'c', 'd', 'e'].map(named), ask);
  expect(most).toBe(2);
  asked.length = 0;
  await directory.find('one', [named('x'), named('y')], ask);
  await directory.find('one', [named('x')], ask);
  await directory.find('one', [named('z')], ask);
  await directory.find('one', [named('x')], ask);
  expect(asked.toSorted()).toEqual(['x', 'y', 'z']);
});
