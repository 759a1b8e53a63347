import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const installTimeoutMs = 300_000;
const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/**
 * A browser of the system, installed once from Debian's packages where possible; undefined where
 * there is none and none can be installed.
 */
export function ensureChromium(): string | undefined {
  return findChromium() ?? (installChromium() ? findChromium() : undefined);
}

/** Starts it without a window. Each test opens its own contexts in it. */
export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, headless: true });
}

function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(':').filter((folder) => folder !== '');
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return candidates.find((candidate) => existsSync(candidate));
}

/** Only root may install, and only on Debian. */
function installChromium(): boolean {
  if (process.getuid?.() !== 0) return false;
  const options = {
    stdio: 'ignore',
    timeout: installTimeoutMs,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  } as const;
  const apt = (...args: string[]) => spawnSync('apt-get', ['-q', '-y', ...args], options).status;
  return apt('update') === 0 && apt('install', '--no-install-recommends', 'chromium') === 0;
}
