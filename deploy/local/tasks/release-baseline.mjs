// The release that this working copy is compared with.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './program.mjs';

/** Names a commit, so that a clone without tags finds it. */
export const baselineFile = 'test/upgrade/baseline.json';

/** The release that contracts and data are compared with; undefined before the first one. */
export function releaseBaseline() {
  const file = join(root, baselineFile);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}
