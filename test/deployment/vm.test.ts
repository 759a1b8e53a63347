import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLauncherEnvironment } from '@billing/local/config';
import { readSettings } from '@billing/local/settings';

const folder = join(__dirname, '../../deploy/vm');
const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

/** Values of a setting of a unit. */
function settingsOf(name: string, unit = 'billing.service'): string[] {
  return read(unit)
    .split('\n')
    .filter((line) => line.startsWith(`${name}=`))
    .map((line) => line.slice(name.length + 1));
}

test('the settings of the unit are obeyed', () => {
  const lines = [...read('environment').split('\n'), ...settingsOf('Environment')];
  const variables = Object.fromEntries(
    lines.filter((line) => /^\w+=/.test(line)).map((line) => line.split('=') as [string, string]),
  );
  const flags = { url: undefined, listen: undefined, dataDir: undefined, archiveDir: undefined };
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

test('the backup runs with the settings of the system, and reaches its sockets', () => {
  const backup = 'billing-backup.service';
  for (const name of [
    'User',
    'EnvironmentFile',
    'Environment',
    'WorkingDirectory',
    'RuntimeDirectory',
    'RuntimeDirectoryPreserve',
  ]) {
    expect(settingsOf(name, backup)).toEqual(settingsOf(name));
  }
  expect(settingsOf('ExecStart', backup)[0]).toMatch(
    /\/bin\/node \S+\/deploy\/operations\/dist\/backup\/main\.js --to \/var\/backups\/billing$/,
  );
});

test('commands on the machine can open the sockets of the services', () => {
  expect(settingsOf('RuntimeDirectory')).toEqual(['billing']);
  // It is shared: no unit may remove it at its end.
  expect(settingsOf('RuntimeDirectoryPreserve')).toEqual(['yes']);
  expect(settingsOf('Environment')).toContain('TMPDIR=/run/billing');
});

test('a timer checks the invariants of the live environment each night', () => {
  const [, command = ''] =
    /^ExecStart=\S+\/bin\/node (.*)$/m.exec(read('billing-check.service')) ?? [];
  expect(command).toBe('/opt/billing/test/dist/invariants/main.js --data /var/lib/billing');
  expect(read('billing-check.service')).toContain('\nUser=billing\n');
  expect(read('billing-check.timer')).toMatch(/^OnCalendar=\*-\*-\* /m);
});

test('the newest 14 backups are kept', () => {
  const folder = mkdtempSync(join(tmpdir(), 'billing-kept-'));
  const names = Array.from({ length: 16 }, (_, day) => `billing-202611${String(day + 10)}T000000Z`);
  for (const name of names) mkdirSync(join(folder, name));
  mkdirSync(join(folder, 'other'));
  const [command = ''] = settingsOf('ExecStartPost', 'billing-backup.service');
  const script = /^\/bin\/sh -c '(.*)'$/.exec(command)?.[1] ?? '';
  spawnSync('/bin/sh', ['-c', script.replace('/var/backups/billing', folder)]);
  const kept = readdirSync(folder).toSorted();
  rmSync(folder, { recursive: true });
  expect(kept).toEqual([...names.slice(2), 'other']);
});

test('the archive keeps what the oldest backup needs, and all that is later', () => {
  const stage = mkdtempSync(join(tmpdir(), 'billing-archive-'));
  const [backups, archive] = [join(stage, 'backups'), join(stage, 'archive')];
  mkdirSync(archive);
  for (const [day, segment] of [
    ['10', '000000010000000A00000003'],
    ['11', '000000020000000A00000009'],
  ]) {
    const copy = join(backups, `billing-202611${day}T000000Z/databases/postgres`);
    mkdirSync(copy, { recursive: true });
    const label = `START WAL LOCATION: A/3000028 (file ${segment})\nSTART TIMELINE: 1\n`;
    writeFileSync(join(copy, 'backup_label'), label);
  }
  const kept = [
    '000000010000000A00000003',
    '000000010000000A00000004',
    '000000010000000B00000000',
    '00000002.history',
    'other',
  ];
  const removed = [
    '000000010000000900000FFF',
    '000000010000000A00000002',
    '000000010000000A00000002.00000028.backup',
  ];
  for (const name of [...kept, ...removed]) writeFileSync(join(archive, name), '');
  const script = join(folder, 'clean-archive');
  const clean = (env: NodeJS.ProcessEnv) => spawnSync(script, [backups], { env }).status;
  expect(clean({ PATH: process.env.PATH })).toBe(0);
  expect(readdirSync(archive)).toHaveLength(kept.length + removed.length);
  expect(clean({ PATH: process.env.PATH, BILLING_ARCHIVE: archive })).toBe(0);
  const left = readdirSync(archive).toSorted();
  rmSync(stage, { recursive: true });
  expect(left).toEqual(kept);
});

const units = ['billing.service', 'billing-backup.service', 'billing-check.service'];

(hasSystemd ? test : test.skip).each(units)('systemd accepts %s', (name) => {
  const copy = mkdtempSync(join(tmpdir(), 'billing-unit-'));
  // Units name each other.
  for (const unit of units) {
    writeFileSync(join(copy, unit), read(unit).replace(/^ExecStart=.*/m, 'ExecStart=/bin/true'));
  }
  const unit = join(copy, name);
  const { stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
  rmSync(copy, { recursive: true });
  expect(stderr.split('\n').filter((line) => line.includes(name))).toEqual([]);
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
