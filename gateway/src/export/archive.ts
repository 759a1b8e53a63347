import { configure, TextReader, ZipWriter } from '@zip.js/zip.js';
import type { Clock } from '@billing/chassis/clock';
import { toJsonTime } from '@billing/proto/json/scalars';
import type { Sink } from '../http/streamed-body';
import { type ExportedResource, settledPosition } from './exported-resource';
import { ExportFile } from './export-file';
import type { ExportContext, ExportRange } from './resource-pages';
import type { RowFormat } from './row-format';

/** Content of an archive. */
export interface ArchiveOptions {
  readonly resources: readonly ExportedResource[];
  readonly format: RowFormat;
  readonly range: ExportRange;
  /** Newest position of the feed before the first row is read. */
  readonly position: string;
}

// Compression runs in the threads of Node itself.
configure({ useWebWorkers: false });

/** Writes a ZIP file with one file for each resource, and a manifest as its last file. */
export async function writeArchive(
  { resources, format, range, position }: ArchiveOptions,
  sink: Sink,
  exported: ExportContext,
): Promise<void> {
  const { clock, context } = exported;
  const startedAt = clock.now();
  const zip = new ZipWriter(new WritableStream<Uint8Array>({ write: (chunk) => sink(chunk) }), {
    lastModDate: startedAt,
    bufferedWrite: false,
    keepOrder: true,
  });
  const files: ReturnType<typeof entryOf>[] = [];
  for (const resource of resources) {
    const file = new ExportFile(resource, format);
    const chunks = ReadableStream.from(file.chunks(range, exported));
    // The size is not known in advance, so it may be any.
    await zip.add(file.name, chunks, { zip64: true });
    files.push(entryOf(file));
  }
  const endPosition = await settledPosition(exported);
  const { organizationId, environmentId } = context.tenant;
  const manifest = {
    organizationId,
    environmentId,
    ...periodOf(startedAt, clock),
    position,
    endPosition,
    format,
    files,
  };
  await zip.add('manifest.json', new TextReader(`${JSON.stringify(manifest, null, 2)}\n`));
  await zip.close();
}

function periodOf(startedAt: Date, clock: Clock) {
  return { startedAt: toJsonTime(startedAt), finishedAt: toJsonTime(clock.now()) };
}

function entryOf(file: ExportFile) {
  const { name, resource, rows, bytes } = file;
  return { name, resource: resource.name, rows, bytes, sha256: file.digest('hex') };
}
