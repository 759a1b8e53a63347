import { systemClock } from '@billing/chassis/clock';
import { context, OperatorTests } from '../testing/operators';

const tests = new OperatorTests();

beforeAll(() => tests.start(systemClock));
afterAll(() => tests.stop());

test('environments are found by the names that people see and by the beginning of an id', async () => {
  const { organization, owner } = await tests.anOwner();
  const [live = '', unnamed = ''] = [organization.live?.id, organization.sandbox?.id];
  const find = async (search: string, oldestFirst = false) => {
    const wanted = { sessionToken: owner.token, search, page: 1, perPage: 100, oldestFirst };
    const { environments } = await tests.peer.listEnvironments(
      { ...wanted, sandboxesOnly: false },
      context(),
    );
    return environments.map(({ id }) => id);
  };
  expect(await find('Live')).toEqual([live]);
  expect(await find('sandb')).toEqual([unnamed]);
  expect(await find(unnamed.slice(0, 9).toUpperCase())).toContain(unnamed);
  expect(await find(live)).toEqual([live]);
  expect(await find('nothing of this name')).toEqual([]);
  const all = await find('');
  expect(all.length).toBeGreaterThan(1);
  expect(await find('', true)).toEqual(all.toReversed());
});
