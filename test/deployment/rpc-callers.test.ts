import { createRequire } from 'node:module';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  dueWorkCallers,
  erasureCallers,
  eventLogCallers,
  searchCallers,
  systemCallers,
} from '@billing/chassis/callers';
import { type ServiceName, serviceNames } from '@billing/local/services';

type Methods = Readonly<Record<string, readonly string[]>>;

const root = join(__dirname, '../..');
const backends = serviceNames.filter((name) => name !== 'gateway');
// Resolved from the launcher, which depends on every service.
const launcherRequire = createRequire(require.resolve('@billing/local/services'));

/** The caller table of each gRPC service served here, by its prefix, such as `session`. */
function callersOf(service: ServiceName): Map<string, Methods> {
  // No entry point of the package: nothing but this test reads it from outside.
  const source = join(root, 'services', service, 'src');
  const isFlat = existsSync(join(source, 'callers.ts'));
  const exported = launcherRequire(join(source, isFlat ? 'callers' : 'peer/callers')) as Record<
    string,
    Methods
  >;
  return new Map(
    Object.entries(exported).map(([name, methods]) => [name.replace(/Callers$/, ''), methods]),
  );
}

const common = {
  system: systemCallers,
  dueWork: dueWorkCallers,
  erasure: erasureCallers,
  eventLog: eventLogCallers,
  search: searchCallers,
};
const callers = new Map<string, Methods>([
  ...Object.entries(common),
  ...backends.flatMap((service) => [...callersOf(service)]),
]);

/** The source of a service, without tests and their helpers. */
function sourceOf(service: ServiceName): string {
  const folder = join(root, service === 'gateway' ? 'gateway' : join('services', service), 'src');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|(^|\/)testing/.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
}

/** The gRPC services that a service connects to. */
function connectedFrom(source: string): string[] {
  const connections = source.matchAll(/(?:connectPeer|\.peer)<(\w+)ServiceServer>/g);
  return [...new Set([...connections].map(([, name = '']) => camelCase(name)))];
}

function camelCase(name: string): string {
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}

const sources = new Map(serviceNames.map((service) => [service, sourceOf(service)]));

describe.each(serviceNames)('%s', (service) => {
  const source = sources.get(service) ?? '';
  const connected = connectedFrom(source);

  test('may call every method that its source uses', () => {
    const refused = connected.flatMap((name) =>
      Object.entries(callers.get(name) ?? {})
        .filter(([method, named]) => calls(source, method) && !named.includes(service))
        .map(([method]) => `${name}.${method}`),
    );
    expect(refused.filter((call) => !sameNames.includes(`${service} ${call}`))).toEqual([]);
  });

  test('is listed for no method of a service that it has no connection to', () => {
    const named = [...callers].filter(([, methods]) =>
      Object.values(methods).some((names) => names.includes(service)),
    );
    expect(named.map(([name]) => name).filter((name) => !connected.includes(name))).toEqual([]);
  });
});

function calls(source: string, method: string): boolean {
  return new RegExp(`\\.${method}\\b`).test(source);
}

// Methods of its own that have the name of an RPC.
const sameNames = [
  'identity identity.authenticate',
  'identity operator.endSession',
  'identity operator.logIn',
  'identity operator.logInByProvider',
];

// Checks of invariants and of usage call them without a certificate.
const withoutCaller = ['usageReport.getClosedCredits', 'usageAudit.checkUsage'];

describe.each(backends)('the methods of %s', (service) => {
  test('have at least one caller each, and only services as callers', () => {
    for (const [name, methods] of callersOf(service)) {
      for (const [method, named] of Object.entries(methods)) {
        const isUncalled = withoutCaller.includes(`${name}.${method}`);
        expect({ method, isUncalled: named.length === 0 }).toEqual({ method, isUncalled });
        expect(serviceNames).toEqual(expect.arrayContaining([...named]));
      }
    }
  });

  // The network policies follow the same settings; see manifests.test.ts.
  test('are called by the services that have its address', () => {
    const own = [...callersOf(service).values()].flatMap((methods) =>
      Object.values(methods).flat(),
    );
    const variable = `${service.toUpperCase()}_ADDRESS`;
    const addressed = serviceNames.filter((caller) => {
      const { configurationSchema } = launcherRequire(`@billing/${caller}/config`) as {
        configurationSchema: { shape: object };
      };
      return variable in configurationSchema.shape;
    });
    const ofCommon = ['gateway', 'identity', 'notifier', 'customer'];
    const unaddressed = new Set(own.filter((caller) => !addressed.includes(caller as ServiceName)));
    // The command for first owners runs as identity.
    expect([...unaddressed]).toEqual(service === 'identity' ? ['identity'] : []);
    expect(addressed.filter((one) => !own.includes(one) && !ofCommon.includes(one))).toEqual([]);
  });
});

test('every method of every contract lists its callers', () => {
  const methods = backends.flatMap((service) => {
    const served = sources.get(service) ?? '';
    return [...served.matchAll(/rpcService(?:<\w+>)?\(\s*(\w+)ServiceService,/g)].map(
      ([, name = '']) => camelCase(name),
    );
  });
  expect(methods.toSorted()).toEqual(
    backends.flatMap((service) => [...callersOf(service).keys()]).toSorted(),
  );
});
