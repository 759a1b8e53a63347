import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** A change of compiled code when a process loads it. */
export interface Edit {
  /** End of the path of the compiled file. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** A built release. */
export interface Release {
  /** Root of its working copy. */
  readonly root: string;
  /** Faults that a test introduces. */
  readonly edits?: readonly Edit[];
}

/** This working copy, as compiled. */
export const presentRelease: Release = { root: join(__dirname, '../..') };

/** The release that `baseline.json` names, built from its commit; the first call takes a minute. */
export function formerRelease(): Release {
  const args = [join(presentRelease.root, 'deploy/local/run.mjs'), 'baseline'];
  const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit'];
  return { root: execFileSync(process.execPath, args, { encoding: 'utf8', stdio }).trim() };
}

/** Variables of a process with the faults of its release. */
export function editingVariables({ edits = [] }: Release): Record<string, string> {
  if (edits.length === 0) return {};
  return {
    NODE_OPTIONS: `--require ${join(__dirname, 'seeded-edits.cjs')}`,
    SEEDED_EDITS: JSON.stringify(edits),
  };
}
