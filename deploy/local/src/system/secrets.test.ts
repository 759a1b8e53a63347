import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSecrets } from './secrets';

let dataDir: string;
const file = () => join(dataDir, 'secrets.json');

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'billing-secrets-'));
});

afterEach(() => rm(dataDir, { recursive: true, force: true }));

test('secrets are created once, readable by this user only', async () => {
  const made = await ensureSecrets(dataDir, { hasData: false });
  expect(await ensureSecrets(dataDir, { hasData: false })).toEqual(made);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  expect(new Set(Object.values(made)).size).toBe(4);
});

test('the folder of an earlier version gets its missing secret and keeps the others', async () => {
  const apiKeyPepper = 'p'.repeat(43);
  await writeFile(file(), JSON.stringify({ apiKeyPepper }));
  const secrets = await ensureSecrets(dataDir, { hasData: false });
  expect(secrets.apiKeyPepper).toBe(apiKeyPepper);
  expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual(secrets);
  expect(await ensureSecrets(dataDir, { hasData: false })).toEqual(secrets);
});

test.each([
  ['{"hostedPageSecret":"hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh"}', 'apiKeyPepper'],
  ['{"apiKeyPepper":"ppp', 'JSON'],
])('a damaged file is named, and nothing replaces it: %s', async (text, reason) => {
  await writeFile(file(), text);
  await expect(ensureSecrets(dataDir, { hasData: false })).rejects.toMatchObject({
    exitStatus: 65,
    message: expect.stringMatching(`^${file()} is damaged: .*${reason}`),
  });
  expect(await readFile(file(), 'utf8')).toBe(text);
});

test('a folder with databases gets no new secrets', async () => {
  await expect(ensureSecrets(dataDir, { hasData: true })).rejects.toMatchObject({
    exitStatus: 78,
    message:
      'secrets.json is missing: restore it from the backup; new secrets would end every key and address',
  });
});
