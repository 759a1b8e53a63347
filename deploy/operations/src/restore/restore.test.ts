import type { Manifest } from '../files/manifest';
import { findUnlisted, refuseUnfit } from './restore';

const ofPostgres: Manifest = {
  format: 1,
  version: '0.2.0',
  installation: { data: '/data', databases: '/data/databases' },
  instant: '2026-11-28T12:00:00.000Z',
  final: true,
  databases: [{ service: 'identity', database: 'billing_identity' }],
  secrets: [],
  files: [{ path: 'databases/postgres/PG_VERSION', bytes: 3, sha256: 'a'.repeat(64) }],
  documents: {},
};
const ofDocuments: Manifest = {
  ...ofPostgres,
  files: [{ path: 'databases/billing_identity/a.bson', bytes: 3, sha256: 'a'.repeat(64) }],
};
const here = { databasePrefix: 'billing', isElsewhere: false };
const elsewhere = { databasePrefix: 'other', isElsewhere: true };

describe('a backup', () => {
  test.each([
    ['of the PostgreSQL, restored here', ofPostgres, here],
    ['of documents, restored here', ofDocuments, { ...here, databasePrefix: 'other' }],
    ['of documents, restored on other servers', ofDocuments, elsewhere],
    ['that is not final', { ...ofPostgres, final: false }, here],
    ['of documents that is not final', { ...ofDocuments, final: false }, elsewhere],
  ])('%s is accepted', (_name, manifest, target) => {
    expect(() => {
      refuseUnfit(manifest, target);
    }).not.toThrow();
  });

  test.each([
    ['of the PostgreSQL, for other servers', ofPostgres, elsewhere, /^MONGODB_URI: /],
    [
      'with databases of another name',
      ofPostgres,
      { ...here, databasePrefix: 'other' },
      'DATABASE_PREFIX: the backup has a database named billing_identity',
    ],
  ])('%s is refused', (_name, manifest, target, message) => {
    expect(() => {
      refuseUnfit(manifest, target);
    }).toThrow(expect.objectContaining({ exitStatus: 78 }));
    expect(() => {
      refuseUnfit(manifest, target);
    }).toThrow(message);
  });
});

describe('indexes that no checksum covers', () => {
  const indexes = 'databases/billing_identity/indexes.json';
  const file = { path: indexes, bytes: 2, sha256: 'a'.repeat(64) };

  test.each<[string, Manifest, string | undefined]>([
    ['of documents without them', ofDocuments, indexes],
    ['of documents with them', { ...ofDocuments, files: [...ofDocuments.files, file] }, undefined],
    ['of the PostgreSQL, which has none', ofPostgres, undefined],
  ])('are found in a backup %s', (_name, manifest, expected) => {
    expect(findUnlisted(manifest)).toBe(expected);
  });
});
