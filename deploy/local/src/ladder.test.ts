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

test('the first open way is taken, and each step says what it did', async () => {
  expect(await take([closed('a'), open('b'), open('c')])).toEqual({
    way: 'b',
    found: 'server of b',
    lines: ['MongoDB: not by way a: a is closed', 'MongoDB: way b'],
  });
});

test('where no way is open the error lists all ways with their reasons', async () => {
  await expect(take([closed('a'), closed('b')])).rejects.toThrow(
    'No way to MongoDB is open on this machine:\n- way a: a is closed\n- way b: b is closed',
  );
});

test('a folder with data stays with the way that made it', async () => {
  expect(await take([open('a'), open('b')], 'b')).toMatchObject({ way: 'b' });
  await expect(take([open('a'), closed('b')], 'b')).rejects.toThrow(
    'on this machine (the data folder was made by "b"):\n- way b: b is closed',
  );
});

test('an address that is given counts even for a folder with data', async () => {
  expect(await take([open(ADDRESS_GIVEN), open('b')], 'b')).toMatchObject({ way: ADDRESS_GIVEN });
});
