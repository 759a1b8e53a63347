import { createHash } from 'node:crypto';
import { get, type IncomingHttpHeaders } from 'node:http';
import type { ApiClient } from '../api-client';

/** A response with its trailers, which fetch does not show. */
export interface Exported {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly trailers: NodeJS.Dict<string>;
  readonly body: Buffer;
  /** False if the connection ended before the body. */
  readonly isComplete: boolean;
}

/** Reads an export as it is sent. */
export function readExport(
  { gatewayUrl, key }: Pick<ApiClient, 'gatewayUrl' | 'key'>,
  path: string,
): Promise<Exported> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${key ?? ''}` };
    const request = get(
      `${gatewayUrl}/v1/exports/${path}`,
      { headers, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        // A broken connection also closes the response.
        response.on('error', () => undefined);
        response.on('close', () => {
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            trailers: response.trailers,
            body: Buffer.concat(chunks),
            isComplete: response.complete,
          });
        });
      },
    );
    request.on('error', reject);
  });
}

/** SHA-256 as the trailer `Content-Digest` has it. */
export function contentDigest(body: Buffer): string {
  return `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
}

/** Rows of a complete export in NDJSON, whose end is checked. */
export async function exportedRows(
  api: Pick<ApiClient, 'gatewayUrl' | 'key'>,
  resource: string,
  query = '',
): Promise<{ rows: any[]; position: number; endPosition: number }> {
  const { status, headers, trailers, body, isComplete } = await readExport(
    api,
    `${resource}.ndjson${query}`,
  );
  const text = body.toString();
  const lines = text === '' ? [] : text.trimEnd().split('\n');
  expect({ status, isComplete, type: headers['content-type'] }).toEqual({
    status: 200,
    isComplete: true,
    type: 'application/x-ndjson; charset=utf-8',
  });
  expect(trailers).toMatchObject({
    'content-digest': contentDigest(body),
    'export-rows': String(lines.length),
  });
  return {
    rows: lines.map((line) => JSON.parse(line)),
    position: Number(headers['export-position']),
    endPosition: Number(trailers['export-end-position']),
  };
}
