import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADDRESS_GIVEN, takeFirstOpenWay, type Way } from './ladder';

const folder = mkdtempSync(join(tmpdir(), 'billing-ladder-'));
const reasonsFile = join(folder, 'reasons.log');

afterAll(() => {
  rmSync(folder, { recursive: true });
});

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
  const taken = takeFirstOpenWay({ what: 'MongoDB', ways, remembered, log, reasonsFile });
  return { ...(await taken), lines };
}

test('the first available way is used, and the result of each way is logged', async () => {
  expect(await take([closed('a'), open('b'), open('c')])).toEqual({
    way: 'b',
    found: 'server of b',
    lines: ['MongoDB: skipped way a: a is closed', 'MongoDB: way b'],
  });
});

test('without an available way the error names the first reasons in five lines, and a file has all', async () => {
  const long = {
    ...closed('b'),
    open: () => Promise.reject(new Error(`${'x'.repeat(300)}\nline 2`)),
  };
  const error: Error = await take([closed('a'), long, closed('c'), closed('d')]).then(
    () => new Error('open'),
    (reason: unknown) => reason as Error,
  );
  const lines = error.message.split('\n');
  expect(lines).toHaveLength(5);
  expect(lines[1]).toBe('- way a: a is closed');
  expect(lines[2]).toHaveLength(161);
  expect(lines[4]).toBe(`The reasons of all 4 ways are in ${reasonsFile}`);
  const reasons = readFileSync(reasonsFile, 'utf8');
  expect(reasons).toContain(`${'x'.repeat(300)}\nline 2`);
  expect(reasons).toContain('- way d: d is closed');
  expect(statSync(reasonsFile).mode & 0o777).toBe(0o600);
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
