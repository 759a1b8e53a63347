import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

// Of the packages, and of the other test files that install them first.
const installTimeoutMs = 600_000;
const lockFile = join(tmpdir(), 'billing-chromium.lock');
// The first has no window, and takes half the processor time of the others.
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
];

/**
 * A browser of the system, installed once from Debian's packages where possible; undefined where
 * there is none and none can be installed.
 */
export function ensureChromium(): string | undefined {
  installChromium();
  return findChromium();
}

/** Starts it without a window. Each test opens its own contexts in it. */
export function launchChromium(executablePath: string): Promise<Browser> {
  // The program without a window would draw letters in another width than the one with a window.
  const args = ['--font-render-hinting=slight'];
  return chromium.launch({ executablePath, headless: true, args });
}

function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(':').filter((folder) => folder !== '');
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return candidates.find((candidate) => existsSync(candidate));
}

/**
 * Installs it where it is missing. Only root may install, and only on Debian. One of several test
 * files that need it installs it; the others wait, because a program that is there before the last
 * of its packages does not start.
 */
function installChromium(): void {
  if (process.getuid?.() !== 0) return;
  const found = names.map((name) => `command -v ${name}`).join(' || ');
  const packages = '--no-install-recommends chromium-headless-shell';
  const script = `${found} || { apt-get -q -y update && apt-get -q -y install ${packages}; }`;
  spawnSync('flock', [lockFile, 'sh', '-c', script], {
    stdio: 'ignore',
    timeout: installTimeoutMs,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}
