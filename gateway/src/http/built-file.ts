import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { ApiAnswer } from './answer';
import { contentTag, unlessMatched } from './conditions';

/** A file of a build, held in memory. */
export interface BuiltFile {
  readonly bytes: Buffer;
  readonly type: string;
  readonly tag: string;
  /** Compressed by the build or at the first request; undefined if compression gains nothing. */
  gzipped?: Buffer | undefined;
}

/** Request headers that select the copy of a file. */
export interface RequestedCopy {
  readonly ifNoneMatch: string | undefined;
  readonly acceptEncoding: string | undefined;
}

/** `Cache-Control` of a file whose name contains a hash of its content. */
export const cachedPermanently = 'public, max-age=31536000, immutable';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

// Smaller files fit into one packet anyway.
const gzipFromBytes = 1_000;

/** Reads a file of a build, and its compressed copy `<path>.gz` if there is one. */
export function readBuiltFile(path: string): BuiltFile {
  const bytes = readFileSync(path);
  return {
    bytes,
    tag: contentTag(bytes),
    ...(existsSync(`${path}.gz`) && { gzipped: readFileSync(`${path}.gz`) }),
    type: types[extname(path)] ?? 'application/octet-stream',
  };
}

/** Answers with a file, or with 304 to a caller that has it. */
export function fileAnswer(
  file: BuiltFile,
  { ifNoneMatch, acceptEncoding }: RequestedCopy,
  headers: Readonly<Record<string, string>>,
): ApiAnswer {
  const gzipped = /\bgzip\b/.test(acceptEncoding ?? '') ? gzippedOf(file) : undefined;
  const isGzipped = gzipped !== undefined;
  return unlessMatched(ifNoneMatch, {
    status: 200,
    body: gzipped ?? file.bytes,
    headers: {
      'Content-Type': file.type,
      ...headers,
      ETag: `"${file.tag}${isGzipped ? '-gzip' : ''}"`,
      Vary: 'Accept-Encoding',
      ...(isGzipped && { 'Content-Encoding': 'gzip' }),
    },
  });
}

function gzippedOf(file: BuiltFile): Buffer | undefined {
  if (file.bytes.length < gzipFromBytes) return undefined;
  file.gzipped ??= gzipSync(file.bytes, { level: 9 });
  return file.gzipped;
}
