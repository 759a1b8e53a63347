import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLauncherEnvironment } from '@billing/local/config';

const version = '4.32.5';
const installTimeoutMs = 120_000;

// Statuses in addition to the tool's expectations. A valid request may be refused for reasons that
// no schema expresses: time, other resources, a stale version, a used idempotency key. An invalid
// request may be refused for these as well.
const expected = {
  right: '"2xx", 304, 400, 401, 403, 404, 409, 412, 422, 503',
  wrong: '400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 503',
};
// A busy system may refuse any request with 503.
const configuration = `[checks]
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 503]
positive_data_acceptance.expected-statuses = [${expected.right}]
negative_data_rejection.expected-statuses = [${expected.wrong}]

# An endpoint is tested ten times a minute at most.
[[operations]]
include-operation-id = "testWebhookEndpoint"
[operations.checks]
positive_data_acceptance.expected-statuses = [${expected.right}, 429]
negative_data_rejection.expected-statuses = [${expected.wrong}, 429]
`;

// Longer than the gateway's own timeout, so that the gateway reports it.
const patience = '--request-timeout=30';

/** The program, installed once; undefined where Python or its packages are unavailable. */
export function ensureSchemathesis(): string | undefined {
  const folder = join(readLauncherEnvironment().cacheDir, `schemathesis-${version}`);
  const program = join(folder, 'bin', 'st');
  if (existsSync(program)) return program;
  const options = { stdio: 'ignore', timeout: installTimeoutMs } as const;
  const isMade = spawnSync('python3', ['-m', 'venv', folder], options).status === 0;
  const install = ['install', '--quiet', `schemathesis==${version}`];
  const isInstalled =
    isMade && spawnSync(join(folder, 'bin', 'pip'), install, options).status === 0;
  return isInstalled ? program : undefined;
}

/**
 * Runs all checks against a started gateway; returns the output, and whether there are findings.
 */
export async function runSchemathesis(
  program: string,
  { url, key, args }: { url: string; key: string; args: readonly string[] },
): Promise<{ isClean: boolean; output: string; generated: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'billing-schemathesis-'));
  await writeFile(join(folder, 'schemathesis.toml'), configuration);
  // One worker: some Python versions break when two threads read source code concurrently, as the
  // tool does to describe its tests.
  const common = ['--checks=all', '--continue-on-failure', '--no-color', '--workers=1', patience];
  const { isClean, output } = await new Promise<{ isClean: boolean; output: string }>((resolve) => {
    execFile(
      program,
      ['run', `${url}/openapi.json`, '-H', `Authorization: Bearer ${key}`, ...common, ...args],
      { cwd: folder, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        resolve({ isClean: error === null, output: `${stdout}${stderr}` });
      },
    );
  });
  await rm(folder, { recursive: true, force: true });
  const [, generated = '0'] = /(\d+) generated/.exec(output) ?? [];
  return { isClean, output, generated: Number(generated) };
}
