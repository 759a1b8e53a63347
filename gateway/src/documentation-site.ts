import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Express, Request } from 'express';
import type { ApiAnswer } from './http/answer';
import { type BuiltFile, cachedPermanently, fileAnswer, readBuiltFile } from './http/built-file';
import { notFound, toHttpError } from './http/error';
import { type ExchangeDependencies, toErrorAnswer } from './http/exchange';
import { addGet } from './http/respond';

// Next to the compiled gateway, whether the compiled code or the sources run.
const builtFolder = join(__dirname, '..', 'dist', 'docs');
const addresses = ['/docs', '/docs.md', '/docs/*path', '/llms.txt', '/llms-full.txt'];

/** All addresses of the site. */
export const siteAddresses = ['/docs/', ...addresses];

// The reference sets styles from its script, and sends requests to this origin only.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headers = {
  'Content-Security-Policy': policy,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** The start page with a slash, as people type it. */
const moved: ApiAnswer = { status: 308, headers: { Location: '/docs' } };

/** Files by their address. */
type Files = ReadonlyMap<string, BuiltFile>;

/** Serves the documentation site, which the build writes. */
export function addDocumentationSite(app: Express, dependencies: ExchangeDependencies): void {
  addGet(app, '/docs/', dependencies, () => moved);
  // Files of a release do not change: they are read at the first request.
  let files: Files | undefined;
  for (const address of addresses) {
    addGet(app, address, dependencies, (request) => {
      files ??= readSite(builtFolder);
      return answerFor(files ?? new Map(), request);
    });
  }
}

function answerFor(files: Files, request: Request): ApiAnswer {
  const { path } = request;
  const file = files.get(path);
  const copy = {
    ifNoneMatch: request.header('if-none-match'),
    acceptEncoding: request.header('accept-encoding'),
  };
  if (file === undefined) return unknownPage(files);
  const isAsset = path.startsWith('/docs/assets/');
  const caching = isAsset ? cachedPermanently : 'no-cache';
  return fileAnswer(file, copy, { ...headers, 'Cache-Control': caching });
}

/** 404 in the shell of the site, or as JSON where the site is not built. */
function unknownPage(files: Files): ApiAnswer {
  const refusal = toErrorAnswer(toHttpError(notFound()));
  const page = files.get('/docs/404');
  if (page === undefined) return refusal;
  const shown = { ...refusal.headers, ...headers, 'Content-Type': page.type };
  return { status: refusal.status, body: page.bytes, headers: shown };
}

/** Files of a folder, if it is built; the page `/docs/x` is the file `docs/x.html`. */
function readSite(folder: string): Files | undefined {
  if (!existsSync(folder)) return undefined;
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.gz'));
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(folder.length).replace(/\.html$/, ''), readBuiltFile(path)];
    }),
  );
}
