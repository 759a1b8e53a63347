import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const run = promisify(execFile);
const root = join(__dirname, '../..');
const guides = join(root, 'gateway/docs/guides');
const program = join(root, 'gateway/cli/dist/billing.cjs');
const separator = '----- end of the block -----';

interface Block {
  readonly language: string;
  readonly code: string;
}

let system: TestSystem;
let folder: string;

beforeAll(async () => {
  system = await joinTestSystem();
  folder = await mkdtemp(join(tmpdir(), 'billing-guides-'));
  // Imports of the guides resolve as in a project with these packages.
  await symlink(join(__dirname, '../node_modules'), join(folder, 'node_modules'));
  await mkdir(join(folder, 'bin'));
  const command = join(folder, 'bin/billing');
  await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  await chmod(command, 0o755);
});

afterAll(() => rm(folder, { recursive: true }));

function blocksOf(guide: string): Block[] {
  const text = readFileSync(join(guides, `${guide}.md`), 'utf8');
  const blocks = text.matchAll(/^ *```(\S*)\n([^]*?)^ *```$/gm);
  return [...blocks].map(([, language = '', code = '']) => ({ language, code }));
}

/** The shell functions that all guides use. */
function shellFunctions(): string {
  const block = blocksOf('quickstart').find(({ code }) => code.startsWith('post() {'));
  expect(block?.language).toBe('bash');
  return block?.code ?? '';
}

/** Variables that a reader has set, with a sandbox of this guide. */
async function environment(): Promise<Record<string, string>> {
  const sandbox = await system.live.manualSandbox('2026-01-31T00:00:00Z');
  const key = sandbox.key ?? '';
  return {
    PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
    XDG_CONFIG_HOME: await mkdtemp(join(folder, 'config-')),
    URL: system.gatewayUrl,
    LIVE: system.live.key ?? '',
    KEY: key,
    BILLING_URL: system.gatewayUrl,
    BILLING_API_KEY: key,
  };
}

/** Runs all blocks in one shell; the last line that each block printed. */
async function runShell(blocks: readonly Block[], env: Record<string, string>): Promise<string[]> {
  const scripts = [{ code: shellFunctions() }, ...blocks].map(({ code }) => code);
  const script = scripts.join(`\necho '${separator}'\n`);
  const { stdout } = await run('bash', ['--norc', '-euo', 'pipefail', '-c', script], { env });
  const outputs = stdout.split(`${separator}\n`).slice(1);
  return outputs.map((output) => output.trim().split('\n').at(-1) ?? '');
}

const names = readdirSync(guides).map((file) => file.replace('.md', ''));

describe.each(names)('the guide %s', (guide) => {
  const blocks = blocksOf(guide);
  const ofLanguage = (language: string) => blocks.filter((block) => block.language === language);

  test('has JSON that can be parsed', () => {
    for (const { code } of ofLanguage('json')) expect(() => JSON.parse(code)).not.toThrow();
  });

  const shell = ofLanguage('bash');
  if (shell.length > 0) {
    test('has commands that answer as shown', async () => {
      // Profiles take the place of these variables in the guide to the command line.
      const { BILLING_URL: _url, BILLING_API_KEY: _key, ...env } = await environment();
      const outputs = await runShell(shell, env);
      for (const [index, { language, code }] of blocks.entries()) {
        const before = blocks[index - 1];
        if (language !== 'json' || before?.language !== 'bash') continue;
        const answer = JSON.parse(outputs[shell.indexOf(before)] ?? '') as unknown;
        expect({ answer }).toMatchObject({ answer: JSON.parse(code) });
      }
    });
  }

  const programs = ofLanguage('ts');
  if (programs.length > 0) {
    test('has programs that run', async () => {
      const env = await environment();
      for (const [index, { code }] of programs.entries()) {
        const file = join(folder, `${guide}-${String(index)}.mts`);
        await writeFile(file, code);
        await run(process.execPath, [file], { env, cwd: folder });
      }
    });
  }
});
