import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Express } from 'express';
import type { ApiAnswer } from './http/answer';
import { unlessMatched } from './http/conditions';
import { notFound } from './http/error';
import type { ExchangeDependencies } from './http/exchange';
import { addGet } from './http/respond';

// Next to the compiled gateway, whether the compiled code or the sources run.
const builtFolder = join(__dirname, '..', 'dist', 'downloads');
const versioned = /^(\w+)-\d+\.\d+\.\d+\.tgz$/;

/**
 * Serves the packages for developers that belong to this release: under their name, and
 * permanently under their name and version.
 */
export function addDownloads(app: Express, dependencies: ExchangeDependencies): void {
  addGet(app, '/downloads/:file', dependencies, (request) => {
    const file = builtFile(String(request.params['file']));
    if (file === undefined) throw notFound();
    return unlessMatched(request.header('if-none-match'), answerOf(file));
  });
}

interface BuiltFile {
  readonly name: string;
  readonly isImmutable: boolean;
}

function builtFile(asked: string): BuiltFile | undefined {
  const names = existsSync(builtFolder) ? readdirSync(builtFolder) : [];
  const files = names.filter((name) => versioned.test(name));
  const name = files.find((one) => one === asked || `${nameOf(one)}.tgz` === asked);
  return name === undefined ? undefined : { name, isImmutable: name === asked };
}

function nameOf(file: string): string {
  return versioned.exec(file)?.[1] ?? '';
}

function answerOf({ name, isImmutable }: BuiltFile): ApiAnswer {
  const body = readFileSync(join(builtFolder, name));
  const tag = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  const caching = isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache';
  const headers = {
    'Content-Type': 'application/gzip',
    'Cache-Control': caching,
    ETag: `"${tag}"`,
  };
  return { status: 200, body, headers };
}
