import { ADDRESS_GIVEN, takeFirstOpenWay, type Way } from './ladder';

const open = (name: string): Way<string> => ({
  name,
  description: `way ${name}`,
  open: () => Promise.resolve(`server of ${name}`),
});
const closed = (name: string): Way<string> => ({
  name,
  description: `way ${name}`,
  open: () => Promise.reject(new Error(`${name} is closed`)),
});

async function take(ways: Way<string>[], remembered?: string) {
  const lines: string[] = [];
  const log = (line: string): void => {
    lines.push(line);
  };
  const taken = takeFirstOpenWay({ what: 'MongoDB', ways, remembered, log });
  return { ...(await taken), lines };
}

test('the first available way is used, and the result of each way is logged', async () => {
  expect(await take([closed('a'), open('b'), open('c')])).toEqual({
    way: 'b',
    found: 'server of b',
    lines: ['MongoDB: skipped way a: a is closed', 'MongoDB: way b'],
  });
});

test('without an available way the error lists all ways with their reasons', async () => {
  await expect(take([closed('a'), closed('b')])).rejects.toThrow(
    'MongoDB is not available on this machine:\n- way a: a is closed\n- way b: b is closed',
  );
});

test('a folder with data is limited to the way that created it', async () => {
  expect(await take([open('a'), open('b')], 'b')).toMatchObject({ way: 'b' });
  await expect(take([open('a'), closed('b')], 'b')).rejects.toThrow(
    'on this machine (the data folder was created by "b"):\n- way b: b is closed',
  );
});

test('an explicit address is used even for a folder with data', async () => {
  expect(await take([open(ADDRESS_GIVEN), open('b')], 'b')).toMatchObject({ way: ADDRESS_GIVEN });
});
