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

test('secrets are made once, for this user alone', async () => {
  const made = await ensureSecrets(dataDir);
  expect(await ensureSecrets(dataDir)).toEqual(made);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  expect(new Set(Object.values(made)).size).toBe(3);
});

test('a folder of an earlier version gets the secret that it lacks, and keeps the others', async () => {
  const apiKeyPepper = 'p'.repeat(43);
  await writeFile(file(), JSON.stringify({ apiKeyPepper }));
  const secrets = await ensureSecrets(dataDir);
  expect(secrets.apiKeyPepper).toBe(apiKeyPepper);
  expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual(secrets);
  expect(await ensureSecrets(dataDir)).toEqual(secrets);
});

test('a damaged file is an error', async () => {
  await writeFile(file(), JSON.stringify({ hostedPageSecret: 'h'.repeat(43) }));
  await expect(ensureSecrets(dataDir)).rejects.toThrow('apiKeyPepper');
});
