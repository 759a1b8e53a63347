import { z } from 'zod';
import type { CallContext } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import { invalidInput } from '@billing/kernel/domain-error';
import { exportedNames } from '@billing/kernel/input/export';
import { checkScope, isAllowed } from '../../access/scope';
import { writeArchive } from '../../export/archive';
import {
  exportedResources,
  type ExportedResource,
  newestPosition,
  settledPosition,
} from '../../export/exported-resource';
import { ExportFile } from '../../export/export-file';
import { type RowFormat, rowWriters } from '../../export/row-format';
import type { ApiAnswer } from '../../http/answer';
import { notFound } from '../../http/error';
import { StreamedBody, type StreamedBodyOptions } from '../../http/streamed-body';
import type { Peers } from '../../peer/peers';
import { readQuery, time } from '../input/input';
import { type ApiRequest, param } from '../input/request';
import type { Route } from './route';

const timeoutMs = 60 * 60_000;
const names: readonly string[] = exportedNames;

const range = {
  from: time.optional().meta({
    description:
      'Earliest `createdAt`, inclusive: of usage events `timestamp`, of events `acceptedAt`, of lines and payments that of their invoice.',
  }),
  to: time.optional().meta({ description: 'Latest `createdAt`, exclusive.' }),
};

const ExportQuery = z.object(range);

const ArchiveQuery = z.object({
  ...range,
  format: z.enum(['NDJSON', 'CSV']).default('NDJSON').meta({ description: 'Defaults to NDJSON.' }),
  resources: z
    .string()
    .transform((text) => text.split(',').map((name) => name.trim()))
    .optional()
    .meta({
      description: `Resources, separated by commas. Defaults to all that the key may read. One of ${names.map((name) => `\`${name}\``).join(', ')}.`,
      override: { type: 'string' },
    }),
});

const description =
  'Streams all objects, oldest first, each as the API shows it. `Export-Position` is the newest event of the feed before the first row was read: the rows contain all events up to it. The trailers `Content-Digest` (SHA-256), `Export-Rows` and `Export-End-Position` end a complete export; discard an export without them. At most 2 exports of an environment run at a time. Also requires the read scope of the route that shows the resource.';

export const exportRoutes: readonly Route[] = [
  fileRoute('NDJSON', {
    id: 'exportNdjson',
    summary: 'Export a resource as NDJSON',
    description: `One JSON object per line. ${description}`,
  }),
  fileRoute('CSV', {
    id: 'exportCsv',
    summary: 'Export a resource as CSV',
    description: `A header and one line per object. Objects and arrays are JSON texts, null is empty, and a text that a spreadsheet would run as a formula begins with an apostrophe. ${description}`,
  }),
  {
    method: 'GET',
    path: '/exports/all.zip',
    waits: 'EXPORT',
    operation: {
      id: 'exportAll',
      summary: 'Export several resources as a ZIP archive',
      description:
        'One file for each resource. The last file is `manifest.json`, with the positions of the feed and the number of rows, size and SHA-256 of each file; discard an archive without it. At most 2 exports of an environment run at a time. Also requires the read scopes of the routes that show the resources.',
      query: ArchiveQuery,
      answer: { status: 200, mediaTypes: ['application/zip'], headers: ['Export-Position'] },
    },
    handle: async (request, peers) => {
      const { context } = request;
      const { resources: wanted, format, ...times } = readQuery(ArchiveQuery, request);
      const resources = resourcesOf(wanted, context);
      const position = await newestPosition(peers, context);
      return streamed('all.zip', 'application/zip', {
        position,
        trailers: [],
        write: async (sink, signal) => {
          const exported = { peers, context, clock: systemClock, signal };
          await writeArchive({ resources, format, range: times, position }, sink, exported);
          return {};
        },
      });
    },
  },
];

function fileRoute(
  format: RowFormat,
  operation: { readonly id: string; readonly summary: string; readonly description: string },
): Route {
  const { extension, contentType } = rowWriters[format];
  const mediaType = format === 'CSV' ? 'text/csv' : 'application/x-ndjson';
  return {
    method: 'GET',
    path: `/exports/:resource.${extension}`,
    waits: 'EXPORT',
    operation: {
      ...operation,
      params: { resource: z.enum(exportedNames) },
      query: ExportQuery,
      answer: {
        status: 200,
        mediaTypes: [mediaType],
        headers: ['Export-Position', 'Trailer'],
      },
    },
    handle: (request, peers) => exportFile(format, contentType, request, peers),
  };
}

async function exportFile(
  format: RowFormat,
  contentType: string,
  request: ApiRequest,
  peers: Peers,
): Promise<ApiAnswer> {
  const { context } = request;
  const name = param(request, 'resource');
  const resource = exportedResources.find((one) => one.name === name);
  if (resource === undefined) throw notFound();
  checkScope(context.scopes, readOf(resource));
  const times = readQuery(ExportQuery, request);
  const position = await newestPosition(peers, context);
  const file = new ExportFile(resource, format);
  return streamed(file.name, contentType, {
    position,
    trailers: ['Content-Digest', 'Export-Rows', 'Export-End-Position'],
    write: async (sink, signal) => {
      const exported = { peers, context, clock: systemClock, signal };
      for await (const chunk of file.chunks(times, exported)) await sink(chunk);
      return {
        'Content-Digest': `sha-256=:${file.digest('base64')}:`,
        'Export-Rows': String(file.rows),
        'Export-End-Position': await settledPosition(exported),
      };
    },
  });
}

function streamed(
  filename: string,
  contentType: string,
  { position, ...body }: Omit<StreamedBodyOptions, 'timeoutMs'> & { readonly position: string },
): ApiAnswer {
  return {
    status: 200,
    headers: {
      'Content-Type': contentType,
      'Content-Disposition': `attachment; filename="${filename}"`,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Export-Position': position,
    },
    body: new StreamedBody({ ...body, timeoutMs }),
  };
}

/** The wanted resources; all that the caller may read if none are named. */
function resourcesOf(
  wanted: readonly string[] | undefined,
  { scopes }: CallContext,
): readonly ExportedResource[] {
  if (wanted === undefined) {
    return exportedResources.filter((resource) => isAllowed(scopes, readOf(resource)));
  }
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw invalidInput({ resources: unknown.map((name) => `Unknown resource: ${name}`) });
  }
  const resources = exportedResources.filter(({ name }) => wanted.includes(name));
  for (const resource of resources) checkScope(scopes, readOf(resource));
  return resources;
}

function readOf({ segment }: ExportedResource) {
  return { method: 'GET', segment };
}
