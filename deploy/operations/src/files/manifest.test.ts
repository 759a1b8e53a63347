import { backupName, isOfPostgres, type Manifest, parseManifest } from './manifest';

const manifest: Manifest = {
  format: 1,
  version: '0.2.0',
  installation: { data: '/data', databases: '/data/databases' },
  instant: '2026-11-28T12:00:00.000Z',
  final: true,
  databases: [{ service: 'identity', database: 'billing_identity' }],
  secrets: [{ name: 'API_KEY_PEPPER', fingerprint: '0123456789abcdef' }],
  files: [{ path: 'databases/postgres/PG_VERSION', bytes: 3, sha256: 'a'.repeat(64) }],
  documents: { 'identity.operators': 1 },
};
const withPath = (path: string) => ({
  ...manifest,
  files: [{ path, bytes: 0, sha256: 'a'.repeat(64) }],
});
const withDatabase = (database: string) => ({
  ...manifest,
  databases: [{ service: 'identity', database }],
});
const parse = (value: unknown, release = '0.2.0') => parseManifest(JSON.stringify(value), release);

describe('a manifest', () => {
  test.each(['0.2.0', '0.2.1', '1.0.0'])('is read by release %s', (release) => {
    expect(parse(manifest, release)).toEqual(manifest);
  });

  test.each([
    ['is empty', ''],
    ['is no JSON', '{'],
    ['lacks its files', JSON.stringify({ ...manifest, files: undefined })],
    ['has another format', JSON.stringify({ ...manifest, format: 2 })],
    ['names a file elsewhere', JSON.stringify(withPath('/etc/passwd'))],
    ['names a file above', JSON.stringify(withPath('databases/../../secrets.json'))],
    ['names the folder above', JSON.stringify(withPath('..'))],
    ['names a database above', JSON.stringify(withDatabase('../../etc'))],
    ['names the database above', JSON.stringify(withDatabase('..'))],
    ['names a database elsewhere', JSON.stringify(withDatabase('/etc'))],
  ])('that %s is damaged', (_name, content) => {
    expect(() => parseManifest(content, '0.2.0')).toThrow(
      expect.objectContaining({ exitStatus: 65, message: 'Backup is damaged: manifest.json' }),
    );
  });

  test('of a later release is refused in any format', () => {
    expect(() => parse({ version: '1.5.0', format: 2 }, '1.4.2')).toThrow(
      expect.objectContaining({
        exitStatus: 78,
        message: 'The backup was made by 1.5.0; this is 1.4.2',
      }),
    );
  });

  test.each([
    ['databases/postgres/PG_VERSION', true],
    ['databases/billing_identity/operators.bson', false],
  ])('with the file %s is of the PostgreSQL: %s', (path, expected) => {
    expect(isOfPostgres(withPath(path))).toBe(expected);
  });
});

test('the folder of a backup is named after its instant', () => {
  expect(backupName(new Date('2026-11-28T12:34:56.789Z'))).toBe('billing-20261128T123456Z');
});
