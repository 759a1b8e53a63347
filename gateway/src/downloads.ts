import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Express } from 'express';
import type { ApiAnswer } from './http/answer';
import { contentTag, unlessMatched } from './http/conditions';
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
  // Files of a release do not change: each is read and hashed once.
  const answers = new Map<string, ApiAnswer>();
  addGet(app, '/downloads/:file', dependencies, (request) => {
    const asked = String(request.params['file']);
    const answer = answers.get(asked) ?? readAnswer(asked);
    answers.set(asked, answer);
    return unlessMatched(request.header('if-none-match'), answer);
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

/** Reads the answer to a request; throws not_found for a name that is not served. */
function readAnswer(asked: string): ApiAnswer {
  const file = builtFile(asked);
  if (file === undefined) throw notFound();
  const { name, isImmutable } = file;
  const body = readFileSync(join(builtFolder, name));
  const caching = isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache';
  const headers = {
    'Content-Type': 'application/gzip',
    'Cache-Control': caching,
    ETag: `"${contentTag(body)}"`,
  };
  return { status: 200, body, headers };
}
