import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const redocly = require.resolve('@redocly/cli/package.json');

/** The findings of a linter for an API description. */
export interface Lint {
  readonly totals: { readonly errors: number; readonly warnings: number };
  readonly problems: readonly unknown[];
}

/** Checks a document against its specification and the linter's recommended rules. */
export async function lintDocument(name: string, text: string): Promise<Lint> {
  const folder = await mkdtemp(join(tmpdir(), 'billing-lint-'));
  const file = join(folder, `${name}.json`);
  await writeFile(file, text);
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(redocly, '../bin/cli.js'), 'lint', '--format=json', file],
      {
        cwd: folder,
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      },
    );
    return JSON.parse(stdout);
  } finally {
    await rm(folder, { recursive: true });
  }
}
