import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLauncherEnvironment } from '@billing/local/config';
import { readSettings } from '@billing/local/settings';

const folder = join(__dirname, '../../deploy/vm');
const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

/** Values of a setting of the unit. */
function settingsOf(name: string): string[] {
  return read('billing.service')
    .split('\n')
    .filter((line) => line.startsWith(`${name}=`))
    .map((line) => line.slice(name.length + 1));
}

test('the settings of the unit are obeyed', () => {
  const lines = [...read('environment').split('\n'), ...settingsOf('Environment')];
  const variables = Object.fromEntries(
    lines.filter((line) => /^\w+=/.test(line)).map((line) => line.split('=') as [string, string]),
  );
  const flags = {
    json: false,
    processes: false,
    watch: false,
    ...{ url: undefined, listen: undefined, dataDir: undefined, archiveDir: undefined },
  };
  const environment = readLauncherEnvironment(variables);
  expect(environment.cacheDir).toBe('/var/cache/billing');
  expect(readSettings(flags, environment, '.data')).toMatchObject({
    publicUrl: 'https://pay.example.com',
    host: '127.0.0.1',
    port: 3000,
    dataDir: '/var/lib/billing',
    services: { TRUSTED_PROXIES: 'loopback' },
  });
});

test('the unit runs the built release as its own user, and writes only to data and cache', () => {
  expect(settingsOf('User')).toEqual(['billing']);
  expect(settingsOf('ExecStart')[0]).toMatch(/\/bin\/node \S+\/deploy\/local\/dist\/main\.js$/);
  expect(settingsOf('EnvironmentFile')).toEqual(['/etc/billing/environment']);
  expect(settingsOf('Restart')).toEqual(['always']);
  expect(settingsOf('TimeoutStopSec')).toEqual(['60']);
  expect(settingsOf('NoNewPrivileges')).toEqual(['true']);
  expect(settingsOf('ProtectSystem')).toEqual(['strict']);
  expect(settingsOf('StateDirectory')).toEqual(['billing']);
  expect(settingsOf('ReadWritePaths')).toEqual([]);
});

(hasSystemd ? test : test.skip)('systemd accepts the unit', () => {
  const copy = mkdtempSync(join(tmpdir(), 'billing-unit-'));
  const unit = join(copy, 'billing.service');
  writeFileSync(unit, read('billing.service').replace(/^ExecStart=.*/m, 'ExecStart=/bin/true'));
  const { stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
  rmSync(copy, { recursive: true });
  expect(stderr.split('\n').filter((line) => line.includes('billing.service'))).toEqual([]);
});

test.each([
  ['Caddyfile', 'header_up X-Forwarded-For {remote_host}'],
  ['nginx.conf', 'proxy_set_header X-Forwarded-For $remote_addr;'],
])('%s passes on the address of its peer alone', (file, line) => {
  const lines = read(file)
    .split('\n')
    .map((text) => text.trim())
    .filter((text) => text.includes('X-Forwarded-For'));
  expect(lines).toEqual([line]);
});
