import { createRequire } from 'node:module';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ServiceName, serviceNames } from '@billing/local/services';
import {
  hasKubectl,
  type Manifest,
  renderManifests,
  renderUncheckedManifests,
} from './rendered-manifests';
import { expectRestricted } from './restricted-pod';

const kubernetes = join(__dirname, '../..', 'deploy', 'kubernetes');
const testWithKubectl = hasKubectl() ? test : test.skip;
const backends = serviceNames.filter((name) => name !== 'gateway');
// Folders that belong to no service.
const others = [
  'example',
  'foundation',
  'grpc-service',
  'indexes',
  'operations',
  'system',
  'workload',
];
const kinds = [
  'Certificate',
  'Deployment',
  'HorizontalPodAutoscaler',
  'NetworkPolicy',
  'PodDisruptionBudget',
  'Service',
  'ServiceAccount',
];

// Stop limit of a process; see services/chassis/src/service/process.ts.
const stopLimitMs = 25_000;
// Calls, due work, outboxes and webhooks are stopped one after another, each within the grace time.
const graceCount = 4;

// The Secrets that INSTALL.md describes.
const secretsOf: Partial<Record<ServiceName, Record<string, string>>> = {
  gateway: {},
  identity: {
    API_KEY_PEPPER: 'p'.repeat(32),
    DATA_KEYS: `1:${Buffer.alloc(32).toString('base64')}`,
  },
  customer: { HOSTED_PAGE_SECRET: 's'.repeat(32) },
  checkout: { HOSTED_PAGE_SECRET: 't'.repeat(32) },
  notifier: { DATA_KEYS: `1:${Buffer.alloc(32).toString('base64')}` },
};
const stores = { MONGODB_URI: 'mongodb://mongodb/', NATS_URL: 'nats://nats:4222' };

const storePorts = { 27_017: 'mongodb', 4_222: 'nats' };
const hasName = (name: string) => ({
  key: 'app.kubernetes.io/name',
  operator: 'In',
  values: [name],
});

// Public addresses: without those of clusters and of the clouds' metadata services.
const worldwide = [
  {
    cidr: '0.0.0.0/0',
    except: [
      '10.0.0.0/8',
      '172.16.0.0/12',
      '192.168.0.0/16',
      '127.0.0.0/8',
      '169.254.0.0/16',
      '100.64.0.0/10',
      '168.63.129.16/32',
    ],
  },
  { cidr: '::/0', except: ['fc00::/7', 'fe80::/10', '::1/128'] },
];

interface ServiceConfig {
  readonly configurationSchema: { readonly shape: object };
  readonly readConfig: (environment: Record<string, string>) => {
    readonly SHUTDOWN_GRACE_MS: number;
    /** The gateway has none. */
    readonly MONGODB_DATABASE?: string;
  };
}

// Resolved from the launcher, whose package depends on every service.
const launcherRequire = createRequire(require.resolve('@billing/local/services'));
const configOf = (name: ServiceName) => launcherRequire(`@billing/${name}/config`) as ServiceConfig;

const rendered = new Map<string, Manifest[]>();

async function render(folder: string): Promise<Manifest[]> {
  const known = rendered.get(folder) ?? (await renderUncheckedManifests(join(kubernetes, folder)));
  rendered.set(folder, known);
  return known;
}

async function find(folder: string, kind: string): Promise<Manifest> {
  const found = (await render(folder)).find((manifest) => manifest.kind === kind);
  if (found === undefined) throw new Error(`${folder} has no ${kind}`);
  return found;
}

async function podOf(name: ServiceName) {
  const { spec } = (await find(name, 'Deployment')).spec.template;
  const [container, ...sidecars] = spec.containers;
  expect(sidecars).toEqual([]);
  return { spec, container };
}

/** Environment variables of the process of a pod, without those from Secrets. */
async function variablesOf(name: ServiceName): Promise<Record<string, string>> {
  const settings = (await find('foundation', 'ConfigMap')).data as Record<string, string>;
  const { container } = await podOf(name);
  expect(container.envFrom).toEqual([{ configMapRef: { name: 'billing-settings' } }]);
  const own = container.env.map(({ name: variable, value }: any) => [variable, value]);
  return { ...settings, ...Object.fromEntries(own) };
}

/** Volume and file of each variable that names a file. */
const mounted = {
  GRPC_TLS_CERT_FILE: ['certificate', 'tls.crt'],
  GRPC_TLS_KEY_FILE: ['certificate', 'tls.key'],
  GRPC_TLS_CA_FILE: ['certificate', 'ca.crt'],
  SECRETS_FOLDER: ['secrets', ''],
} as const;
const mountsFiles = (variable: string) => variable in mounted;
const peerVariable = (name: string) => `${name.toUpperCase()}_ADDRESS`;

test('each folder is that of a service or a shared one', () => {
  const folders = readdirSync(kubernetes, { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(folders.map(({ name }) => name).sort()).toEqual([...serviceNames, ...others].sort());
});

describe.each(serviceNames)('%s', (name) => {
  testWithKubectl('the folder applies alone, under the name and label of the service', async () => {
    const manifests = await render(name);
    expect(manifests.map(({ kind }) => kind).sort()).toEqual(kinds);
    for (const { metadata } of manifests) {
      expect(metadata).toMatchObject({
        name: `billing-${name}`,
        namespace: 'billing',
        labels: { 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': 'billing' },
      });
    }
  });

  testWithKubectl('the service reads the variables of its pod and its Secret', async () => {
    const variables = await variablesOf(name);
    const settings = Object.entries(variables).filter(([variable]) => !mountsFiles(variable));
    const secrets = { ...(name !== 'gateway' && stores), ...secretsOf[name] };
    const { readConfig, configurationSchema } = configOf(name);
    const configuration = readConfig({ ...Object.fromEntries(settings), ...secrets });
    // A variable that no service reads is a misspelt one.
    const known = new Set([
      ...Object.keys(configurationSchema.shape),
      ...Object.keys((await find('foundation', 'ConfigMap')).data),
      ...(name === 'identity' ? ['IDENTITY_ADDRESS'] : []),
    ]);
    expect(
      settings.map(([variable]) => variable).filter((variable) => !known.has(variable)),
    ).toEqual([]);

    if (name !== 'gateway') expect(configuration.MONGODB_DATABASE).toBe(`billing_${name}`);
    const { spec } = await podOf(name);
    const graces = name === 'gateway' ? 1 : graceCount;
    const stopMs = Number(variables.DRAIN_DELAY_MS) + graces * configuration.SHUTDOWN_GRACE_MS;
    expect(stopMs).toBeLessThan(stopLimitMs);
    expect(stopLimitMs).toBeLessThan(spec.terminationGracePeriodSeconds * 1_000);
  });

  testWithKubectl(
    'the pod mounts its certificate and secrets at the paths of its variables',
    async () => {
      const variables = await variablesOf(name);
      const { spec, container } = await podOf(name);
      const secretName = `billing-${name}`;
      const certificateName = `${secretName}-certificate`;
      expect(spec.volumes).toEqual([
        { name: 'certificate', secret: { secretName: certificateName } },
        { name: 'secrets', secret: { secretName, ...(name === 'gateway' && { optional: true }) } },
      ]);
      for (const [variable, [volume, file]] of Object.entries(mounted)) {
        const { mountPath } = container.volumeMounts.find((mount: any) => mount.name === volume);
        expect(variables[variable]).toBe(join(mountPath, file));
      }
      const certificate = (await find(name, 'Certificate')).spec;
      expect(certificate.secretName).toBe(certificateName);
      const issuers = (await render('foundation')).filter(({ kind }) => kind === 'Issuer');
      expect(issuers.map(({ metadata }) => metadata.name)).toContain(certificate.issuerRef.name);
    },
  );

  testWithKubectl(
    'the service calls each peer by a name in the certificate of the peer',
    async () => {
      const { configurationSchema } = configOf(name);
      const variables = await variablesOf(name);
      const peers = backends.filter((peer) => peerVariable(peer) in configurationSchema.shape);
      for (const peer of peers) {
        expect(variables[peerVariable(peer)]).toBe(`dns:///billing-${peer}:50051`);
      }
      expect((await find(name, 'Certificate')).spec.dnsNames).toContain(`billing-${name}`);
    },
  );

  testWithKubectl('the network policy admits only the callers of the service', async () => {
    const { ingress, podSelector } = (await find(name, 'NetworkPolicy')).spec;
    const { template } = (await find(name, 'Deployment')).spec;
    expect(template.metadata.labels).toEqual(podSelector.matchLabels);
    if (name === 'gateway') {
      expect(ingress).toEqual([{ ports: [{ port: 'http' }] }]);
      return;
    }
    const callers = serviceNames.filter(
      (caller) =>
        peerVariable(name) in configOf(caller).configurationSchema.shape ||
        // The command for first owners runs in a pod of identity and calls identity.
        (name === 'identity' && caller === 'identity'),
    );
    const anyOf = (label: string, values: readonly string[]) => ({
      key: `app.kubernetes.io/${label}`,
      operator: 'In',
      values: [...values].sort(),
    });
    const podSelectorOfCallers = {
      matchExpressions: [anyOf('part-of', ['billing']), anyOf('name', callers)],
    };
    const admitted = structuredClone(ingress);
    for (const { values } of admitted[0].from[0].podSelector.matchExpressions) values.sort();
    expect(admitted).toEqual([
      { from: [{ podSelector: podSelectorOfCallers }], ports: [{ port: 'grpc' }] },
    ]);
  });

  testWithKubectl(
    'the network policy allows egress only to peers, stores and needed addresses',
    async () => {
      const { egress, policyTypes } = (await find(name, 'NetworkPolicy')).spec;
      expect(policyTypes).toEqual(['Ingress', 'Egress']);
      const portsOf = (rule: any) => rule.ports.map(({ port }: any) => port as number);
      const ruleOf = (port: number) => egress.filter((rule: any) => portsOf(rule).includes(port));
      const { configurationSchema } = configOf(name);
      const peers = backends.filter(
        (peer) =>
          peerVariable(peer) in configurationSchema.shape ||
          (name === 'identity' && peer === 'identity'),
      );
      const reached = ruleOf(50_051).flatMap(({ to }: any) =>
        to[0].podSelector.matchExpressions.at(-1).values.toSorted(),
      );
      expect(reached).toEqual(peers.toSorted());
      for (const [port, store] of Object.entries(storePorts)) {
        const to = [{ namespaceSelector: {}, podSelector: { matchExpressions: [hasName(store)] } }];
        const rule = { to, ports: [{ port: Number(port) }] };
        expect(ruleOf(Number(port))).toEqual(name === 'gateway' ? [] : [rule]);
      }
      // A rule without addresses allows all.
      for (const { to } of egress) expect(to.length).toBeGreaterThanOrEqual(1);
      expect(ruleOf(53)).toHaveLength(1);
      const partOf = { key: 'app.kubernetes.io/part-of', operator: 'In', values: ['billing'] };
      expect(ruleOf(4_318).map(({ to }: any) => to)).toEqual([
        [{ podSelector: { matchExpressions: [partOf, hasName('collector')] } }],
      ]);
      const outside = egress.filter(({ to }: any) => to?.some(({ ipBlock }: any) => ipBlock));
      const ports = { notifier: [80, 443, 465, 587], checkout: [443], gateway: [443] } as const;
      expect(outside.flatMap(portsOf)).toEqual(name in ports ? ports[name as 'notifier'] : []);
      for (const { to } of outside)
        expect(to.map(({ ipBlock }: any) => ipBlock)).toEqual(worldwide);
    },
  );

  testWithKubectl('probes and the Service use ports of the container', async () => {
    const { container } = await podOf(name);
    const ports = container.ports.map((port: any) => port.name as string);
    const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
    expect(probes.map(({ httpGet }) => httpGet.path)).toEqual(['/healthz', '/healthz', '/readyz']);
    for (const { httpGet } of probes) expect(ports).toContain(httpGet.port);
    const { spec } = await find(name, 'Service');
    for (const { targetPort } of spec.ports) expect(ports).toContain(targetPort);
    expect(spec.selector).toEqual((await find(name, 'Deployment')).spec.selector.matchLabels);
    expect(spec.clusterIP).toBe(name === 'gateway' ? undefined : 'None');
  });

  testWithKubectl('the pod meets the restricted pod security standard', async () => {
    const { spec, container } = await podOf(name);
    expectRestricted(spec);
    expect(container.image).toMatch(new RegExp(`^billing-${name}:`));
  });
});

const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;

testWithKubectl('the system consists of the foundation and every service, each once', async () => {
  const parts = await Promise.all(['foundation', ...serviceNames].map(render));
  expect((await render('system')).map(nameOf).sort()).toEqual(parts.flat().map(nameOf).sort());
});

/** In the example the database is outside of the cluster, and the stream in another namespace. */
function expectStoresOfExample(policy: Manifest | undefined): void {
  const rules = policy?.spec.egress.filter(({ ports }: any) => ports[0].port in storePorts);
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': 'nats' } };
  expect(rules).toEqual([
    { to: [{ ipBlock: { cidr: '10.20.30.0/28' } }], ports: [{ port: 27_017 }] },
    {
      to: [
        { namespaceSelector, podSelector: { matchLabels: { 'app.kubernetes.io/name': 'nats' } } },
      ],
      ports: [{ port: 4_222 }],
    },
  ]);
}

testWithKubectl(
  'the example changes only what it configures and keeps everything else',
  async () => {
    // The example has objects of all kinds, so all types are checked here.
    const example = await renderManifests(join(kubernetes, 'example'));
    const names = example.map(nameOf);
    expect(names).toEqual(expect.arrayContaining((await render('system')).map(nameOf)));
    expect(new Set(names).size).toBe(names.length);
    const gateway = example.find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'billing-gateway',
    );
    const [{ image, env }] = gateway?.spec.template.spec.containers ?? [];
    expect(image).toBe('registry.example.com/billing-gateway:1.2.3');
    const own = await variablesOf('gateway');
    const changed = Object.fromEntries(env.map(({ name, value }: any) => [name, value]));
    expect(changed).toMatchObject({ HTTP_LISTEN: own.HTTP_LISTEN, TRUSTED_PROXIES: '10.1.2.0/24' });
    const { readConfig } = configOf('gateway');
    const settings = Object.entries<string>(changed).filter(([variable]) => !mountsFiles(variable));
    readConfig({ ...Object.fromEntries(settings), HOSTED_PAGE_URL: 'https://pay.example.com' });
    for (const name of backends) {
      expectStoresOfExample(
        example.find(
          ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === `billing-${name}`,
        ),
      );
    }
    const images = example.flatMap((manifest) =>
      (manifest.spec?.template?.spec.containers ?? []).map((container: any) => container.image),
    );
    for (const name of serviceNames) {
      expect(images).toContain(`registry.example.com/billing-${name}:1.2.3`);
    }
  },
);

testWithKubectl(
  'a Job of each service builds its indexes with the image and settings of its pods, and no call reaches it',
  async () => {
    const manifests = await renderManifests(join(kubernetes, 'example/indexes'));
    const jobs = manifests.filter(({ kind }) => kind === 'Job');
    const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
    expect(manifests).toHaveLength(backends.length + 1);
    expect(jobs.map(({ metadata }) => metadata.name).sort()).toEqual(
      backends.map((name) => `billing-${name}`).sort(),
    );
    for (const name of backends) {
      const job = jobs.find(({ metadata }) => metadata.name === `billing-${name}`);
      // By this label operators delete and await the Jobs.
      expect(job?.metadata.labels).toMatchObject({ 'app.kubernetes.io/part-of': 'billing' });
      const { metadata, spec } = job?.spec.template ?? {};
      const [{ image, args, env, envFrom, volumeMounts, ...container }] = spec.containers;
      expect([image, args]).toEqual([`registry.example.com/billing-${name}:1.2.3`, ['--indexes']]);
      const { spec: pod, container: own } = await podOf(name);
      expect({ env, envFrom, volumeMounts, volumes: spec.volumes }).toEqual({
        env: own.env,
        envFrom: own.envFrom,
        volumeMounts: own.volumeMounts,
        volumes: pod.volumes,
      });
      expectRestricted(spec);
      expect(Object.keys(container).filter((field) => field.endsWith('Probe'))).toEqual([]);
      expect(metadata.labels).toEqual(policies[0]?.spec.podSelector.matchLabels);
      const { selector } = (await find(name, 'Service')).spec;
      expect(metadata.labels).not.toMatchObject(selector);
    }
    expect(policies[0]?.spec.ingress).toBeUndefined();
    expectStoresOfExample(policies[0]);
  },
);

testWithKubectl(
  'a Job opens a restored system; it reaches the databases alone, and findings end it',
  async () => {
    const manifests = await renderManifests(join(kubernetes, 'example/operations'));
    expect(manifests.map(nameOf).sort()).toEqual([
      'Job billing-reconcile',
      'NetworkPolicy billing-operations',
    ]);
    const [job, policy] = manifests.toSorted((a, b) => a.kind.localeCompare(b.kind));
    const { template, podFailurePolicy } = job?.spec ?? {};
    const [{ name, image, args, env }] = template.spec.containers;
    expect([image, args]).toEqual([
      'registry.example.com/billing-operations:1.2.3',
      ['reconcile', '--json'],
    ]);
    // It has no data folder: the databases are on servers of their own.
    expect(env.map((variable: any) => variable.name)).toEqual(['MONGODB_URI']);
    expect(template.spec.volumes).toBeUndefined();
    expectRestricted(template.spec);
    // All exit statuses of a command but 75, which another try may not meet.
    expect(podFailurePolicy.rules).toEqual([
      {
        action: 'FailJob',
        onExitCodes: { containerName: name, operator: 'In', values: [1, 2, 65, 78] },
      },
    ]);
    expect(template.metadata.labels).toEqual(policy?.spec.podSelector.matchLabels);
    expect(policy?.spec.ingress).toBeUndefined();
    expect(policy?.spec.egress.slice(1)).toEqual([
      { to: [{ ipBlock: { cidr: '10.20.30.0/28' } }], ports: [{ port: 27_017 }] },
    ]);
  },
);

testWithKubectl(
  'a service applied alone has the release of the system and the objects of its folder',
  async () => {
    const alone = await render('example/subscription');
    const deployment = alone.find(({ kind }) => kind === 'Deployment');
    const [container] = deployment?.spec.template.spec.containers ?? [];
    expect(container.image).toBe('registry.example.com/billing-subscription:1.2.3');
    container.image = (await podOf('subscription')).container.image;
    const policy = alone.find(({ kind }) => kind === 'NetworkPolicy');
    expectStoresOfExample(policy);
    policy!.spec.egress = (await find('subscription', 'NetworkPolicy')).spec.egress;
    expect(alone).toEqual(await render('subscription'));
  },
);
