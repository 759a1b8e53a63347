import { createHash } from 'node:crypto';
import { ZipReader, Uint8ArrayReader, TextWriter } from '@zip.js/zip.js';
import { systemClock } from '@billing/chassis/clock';
import { testContext } from '@billing/chassis/testing';
import type { Peers } from '../peer/peers';
import { writeArchive } from './archive';
import type { ExportedResource } from './exported-resource';
import type { ExportContext } from './resource-pages';
import type { Row } from './row-format';

const settleWebhookEvents = jest.fn(() => Promise.resolve({ newest: '9' }));
const exported: ExportContext = {
  peers: { webhookFeed: { settleWebhookEvents } } as unknown as Peers,
  context: testContext(),
  clock: systemClock,
  signal: new AbortController().signal,
};

const options = { format: 'NDJSON', range: {}, position: '7' } as const;

function resourceOf(
  name: ExportedResource['name'],
  pages: () => AsyncIterable<readonly Row[]>,
): ExportedResource {
  return { name, segment: name, fields: ['id'], pages };
}

async function* pagesOf(...pages: (readonly Row[] | Error)[]): AsyncGenerator<readonly Row[]> {
  for (const page of pages) {
    await Promise.resolve();
    if (page instanceof Error) throw page;
    yield page;
  }
}

/** Collects what is written. */
function collector() {
  const chunks: Uint8Array[] = [];
  const sink = (chunk: Uint8Array) => {
    chunks.push(Uint8Array.from(chunk));
    return Promise.resolve();
  };
  return { sink, bytes: () => Buffer.concat(chunks) };
}

async function filesIn(bytes: Buffer): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const entry of await new ZipReader(new Uint8ArrayReader(bytes)).getEntries()) {
    if (!entry.directory) files.set(entry.filename, await entry.getData(new TextWriter()));
  }
  return files;
}

describe('an archive', () => {
  test('has a file for each resource, and a manifest at its end', async () => {
    const { sink, bytes } = collector();
    const resources = [
      resourceOf('customers', () => pagesOf([{ id: 'a' }, { id: 'b' }], [{ id: 'c' }])),
      resourceOf('meters', () => pagesOf()),
    ];
    await writeArchive({ ...options, resources }, sink, exported);
    const files = await filesIn(bytes());
    expect([...files.keys()]).toEqual(['customers.ndjson', 'meters.ndjson', 'manifest.json']);
    const customers = '{"id":"a"}\n{"id":"b"}\n{"id":"c"}\n';
    expect(files.get('customers.ndjson')).toBe(customers);
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    expect(JSON.parse(files.get('manifest.json') ?? '')).toMatchObject({
      environmentId: exported.context.tenant.environmentId,
      position: '7',
      endPosition: '9',
      files: [
        {
          ...{ name: 'customers.ndjson', resource: 'customers', rows: 3 },
          ...{ bytes: customers.length, sha256: sha256(customers) },
        },
        { name: 'meters.ndjson', resource: 'meters', rows: 0, bytes: 0, sha256: sha256('') },
      ],
    });
  });

  test('has no manifest if a resource cannot be read', async () => {
    const { sink, bytes } = collector();
    const failing = () => pagesOf([{ id: 'a' }], new Error('Not now'));
    const resources = [resourceOf('customers', failing)];
    await expect(writeArchive({ ...options, resources }, sink, exported)).rejects.toThrow(
      'Not now',
    );
    expect(bytes().includes('manifest.json')).toBe(false);
  });

  test('ends with its reader', async () => {
    const sink = () => Promise.reject(new Error('The reader has left'));
    const pages = () => pagesOf([{ id: 'a' }], [{ id: 'b' }]);
    const resources = [resourceOf('customers', pages), resourceOf('meters', pages)];
    const written = writeArchive({ ...options, resources }, sink, exported);
    await expect(written).rejects.toThrow('The reader has left');
  });
});
