import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { productVersion } from '@billing/chassis/version';
import { type ServiceName, serviceNames } from '@billing/local/services';
import { parse } from 'yaml';

const source = join(__dirname, '../../deploy/compose');
const backends = serviceNames.filter((name) => name !== 'gateway');
const read = (file: string) => parse(readFileSync(join(source, file), 'utf8'), { merge: true });
const system = read('compose.yaml');
const observability = read('compose.observability.yaml');
const observers = ['collector', 'jaeger', 'prometheus', 'grafana'];

const launcherRequire = createRequire(require.resolve('@billing/local/services'));
const configOf = (name: ServiceName) =>
  launcherRequire(`@billing/${name}/config`) as {
    configurationSchema: { shape: object };
    readConfig: (environment: Record<string, string>) => Record<string, unknown>;
  };

let folder: string;
let variables: Record<string, string>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'billing-compose-'));
  cpSync(source, folder, { recursive: true });
  rmSync(join(folder, 'secrets'), { recursive: true, force: true });
  execFileSync(join(folder, 'setup'), ['pay.example.com', '1.2.3', 'registry.example.com/']);
  const lines = readFileSync(join(folder, '.env'), 'utf8').trim().split('\n');
  variables = Object.fromEntries(lines.map((line) => line.split('=') as [string, string]));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** A value with the variables of `.env`. */
function filled(text: string): string {
  return text.replace(/\$\{(\w+)(?::-([^}]*))?\}/g, (_all, name: string, fallback?: string) => {
    const value = variables[name] ?? fallback;
    if (value === undefined) throw new Error(`${name} is not in .env`);
    return value;
  });
}

/** Environment of a service, with the secrets that are mounted in its container. */
function environmentOf(name: ServiceName): Record<string, string> {
  const { environment, secrets = [] } = system.services[name];
  const mounted = new Map<string, string>(
    secrets.map((secret: string) => [
      `/run/secrets/${secret}`,
      join(folder, system.secrets[secret].file),
    ]),
  );
  return Object.fromEntries(
    Object.entries<string>(environment).map(([variable, value]) => {
      const text = filled(value);
      if (!text.startsWith('/run/')) return [variable, text];
      const file = mounted.get(text);
      if (file === undefined) throw new Error(`${name} does not mount ${text}`);
      return [variable, file];
    }),
  );
}

describe.each(serviceNames)('%s', (name) => {
  test('the image is of the release, and the service reads its variables and secrets', () => {
    expect(filled(system.services[name].image)).toBe(`registry.example.com/billing-${name}:1.2.3`);
    const { configurationSchema, readConfig } = configOf(name);
    const environment = environmentOf(name);
    const unknown = Object.keys(environment).filter(
      (variable) => !(variable.replace(/_FILE$/, '') in configurationSchema.shape),
    );
    expect(unknown).toEqual([
      // A setting of all services.
      ...('HOSTED_PAGE_URL' in configurationSchema.shape ? [] : ['HOSTED_PAGE_URL']),
      // Of the command that invites first owners.
      ...(name === 'identity' ? ['IDENTITY_ADDRESS'] : []),
    ]);
    const configuration = readConfig(environment);
    if (name === 'gateway') {
      const { ipv4_address: caddy } = system.services.caddy.networks.edge;
      expect(configuration.TRUSTED_PROXIES).toEqual([caddy]);
      return;
    }
    expect(configuration.MONGODB_DATABASE).toBe(`billing_${name}`);
    const uri = new URL(configuration.MONGODB_URI as string);
    expect(uri.username).toBe(name);
    expect(uri.searchParams.get('authSource')).toBe(`billing_${name}`);
    const users = readFileSync(join(folder, 'secrets/users.js'), 'utf8');
    expect(users).toContain(`['${name}', '${uri.password}']`);
  });

  test('the service calls its peers by their names, and is checked and restarted', () => {
    const { environment, healthcheck, restart, networks } = system.services[name];
    for (const peer of backends) {
      const variable = `${peer.toUpperCase()}_ADDRESS`;
      const isPeer = variable in configOf(name).configurationSchema.shape;
      const isNamed = isPeer || (name === 'identity' && peer === 'identity');
      expect(environment[variable]).toBe(isNamed ? `dns:///${peer}:50051` : undefined);
    }
    expect(healthcheck.test.at(-1)).toContain('http://127.0.0.1:8080/readyz');
    expect(restart).toBe('unless-stopped');
    expect(networks).toContain('internal');
  });
});

test('the system has nine services, two stores and a proxy, all restarted and checked', () => {
  const containers = Object.entries<any>(system.services);
  expect(containers.map(([name]) => name).sort()).toEqual(
    [...serviceNames, 'caddy', 'mongodb', 'nats'].sort(),
  );
  for (const [, { restart, healthcheck }] of containers) {
    expect([restart, healthcheck.test[0]]).toEqual(['unless-stopped', 'CMD']);
  }
});

test('only Caddy publishes ports, and observers publish theirs on 127.0.0.1', () => {
  const published = Object.entries<any>(system.services).filter(([, { ports }]) => ports);
  expect(published.map(([name, { ports }]) => [name, ports])).toEqual([
    ['caddy', ['80:80', '443:443']],
  ]);
  for (const name of observers) {
    for (const port of observability.services[name].ports ?? []) {
      expect(port).toMatch(/^127\.0\.0\.1:/);
    }
  }
  expect(system.networks.internal).toEqual({ internal: true });
});

test("Caddy's address is none that another container may get", () => {
  const [{ subnet, ip_range: others }] = system.networks.edge.ipam.config;
  const { ipv4_address: caddy } = system.services.caddy.networks.edge;
  expect([subnet, caddy, others]).toEqual(['172.31.251.0/28', '172.31.251.2', '172.31.251.8/29']);
});

test('services with observers export to the collector', () => {
  const { services } = observability;
  expect(Object.keys(services).sort()).toEqual([...serviceNames, ...observers].sort());
  for (const name of serviceNames) {
    expect(services[name].environment).toEqual({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
    });
  }
});

test('mounted files exist, and every secret is made by setup and used', () => {
  const containers = [system, observability].flatMap(({ services }) =>
    Object.values<any>(services),
  );
  const mounts = containers
    .flatMap(({ volumes = [] }) => volumes as string[])
    .filter((mount) => mount.startsWith('.'));
  for (const mount of mounts)
    expect(statSync(join(source, mount.split(':')[0] ?? ''))).toBeTruthy();
  const used = containers.flatMap(({ secrets = [] }) =>
    secrets.map((secret: any) => secret.source ?? secret),
  );
  expect([...new Set(used)].sort()).toEqual(Object.keys(system.secrets).sort());
  const files = Object.values<any>(system.secrets).map(({ file }) => file.split('/').at(-1));
  expect(readdirSync(join(folder, 'secrets')).sort()).toEqual(files.sort());
});

test('secrets are closed to other users, and setup never replaces them', () => {
  expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
  const before = readFileSync(join(folder, 'secrets/api-key-pepper'), 'utf8');
  expect(() => execFileSync(join(folder, 'setup'), ['x'], { stdio: 'pipe' })).toThrow(
    'secrets/ exists: new secrets would end every key and address',
  );
  expect(readFileSync(join(folder, 'secrets/api-key-pepper'), 'utf8')).toBe(before);
});

test('setup takes the present release', () => {
  expect(readFileSync(join(source, 'setup'), 'utf8')).toContain(`"\${2:-${productVersion}}"`);
});
