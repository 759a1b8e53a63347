import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';

const manifestCheck = require.resolve('./manifest-check.mjs');
const outputBytesMax = 16 * 1024 * 1024;

/** An object as it would be sent to a cluster. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: any };
  readonly [field: string]: any;
}

interface Problem {
  readonly object: string;
  readonly path: string;
  readonly message: string;
}

/** True if kustomizations can be rendered here; no cluster is needed. */
export function hasKubectl(): boolean {
  const folders = (process.env.PATH ?? '').split(':').filter((folder) => folder !== '');
  return folders.some((folder) => existsSync(join(folder, 'kubectl')));
}

/** Renders a kustomization without validation. */
export async function renderUncheckedManifests(folder: string): Promise<Manifest[]> {
  const { stdout } = await promisify(execFile)('kubectl', ['kustomize', folder], {
    maxBuffer: outputBytesMax,
  });
  return parseManifests(stdout);
}

/**
 * Renders and validates a kustomization. Throws if an object does not match its API version's
 * schema, and names it and its field.
 */
export async function renderManifests(folder: string): Promise<Manifest[]> {
  const manifests = await renderUncheckedManifests(folder);
  const problems = await problemsOf(manifests);
  if (problems.length > 0) {
    const lines = problems.map(({ object, path, message }) => `${object}: ${path} ${message}`);
    throw new Error(`${folder}\n${lines.join('\n')}`);
  }
  return manifests;
}

function parseManifests(yaml: string): Manifest[] {
  return parseAllDocuments(yaml).flatMap((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    const manifest = document.toJS() as Manifest | null;
    return manifest === null ? [] : [manifest];
  });
}

async function problemsOf(manifests: readonly Manifest[]): Promise<Problem[]> {
  const check = spawn(process.execPath, [manifestCheck], { stdio: ['pipe', 'pipe', 'inherit'] });
  check.stdin.end(JSON.stringify(manifests));
  return JSON.parse(await text(check.stdout)) as Problem[];
}
