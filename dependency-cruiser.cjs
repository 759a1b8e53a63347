/**
 * Folders of each package, and single files that folders import, lowest first. Each imports only
 * what is listed before it. All other files of the package's root import everything, and no folder
 * imports them.
 */
const layers = {
  'gateway/src': [
    'http',
    'service-statuses.ts',
    'peers.ts',
    'access',
    'text',
    'pdf',
    'api/input',
    'api/schemas',
    'api/routes',
    'api/lost-call',
    'api',
    'asyncapi',
    'openapi',
    'pages/frame',
    'pages/payment',
    'pages/terms',
    'pages/invoice',
    'pages/session',
    'pages/link',
    'pages',
    'portal',
    'operator/route',
    'operator/sign-in',
    'operator/report',
    'operator',
  ],
  'services/chassis/src': [
    'clock.ts',
    'ids.ts',
    'failpoint.ts',
    'start-refusal.ts',
    'listen-address.ts',
    'concurrency',
    'telemetry',
    'mongo',
    'grpc',
    'stream',
    'aggregates',
    'totals',
    'outbox',
    'due-work',
    'service',
  ],
  'services/identity/src': [
    'callers.ts',
    'password',
    'audit',
    'environment',
    'organization',
    'operator',
    'api-key',
    'sandbox',
    'clock',
    'request-log',
  ],
  'services/notifier/src': [
    'callers.ts',
    'peers.ts',
    'endpoint',
    'delivery',
    'message',
    'sending',
    'history',
  ],
  'services/checkout/src': [
    'config.ts',
    'callers.ts',
    'peers.ts',
    'hosted-page',
    'provider/port',
    'provider/stripe',
    'provider/sandbox',
    'provider',
    'invoice',
    'peer',
    'payment-method',
    'collection',
    'sales',
    'report',
  ],
  'services/subscription/src': [
    'callers.ts',
    'config.ts',
    'subscription',
    'events.ts',
    'usage',
    'over-limit',
    'subscription-store.ts',
    'peer',
    'lifecycle',
    'creation',
    'billing',
    'report',
  ],
  'deploy/local/src': ['files', 'process', 'system', 'config.ts', 'install', 'server', 'container'],
  test: [
    'support',
    'invariants',
    'scenario',
    'crash',
    'contract',
    'dashboard',
    'pages',
    'deployment',
    'gateway',
    'recount',
    'demo',
    'bench',
  ],
  'gateway/dashboard/src': ['api', 'parts', 'resources', 'pages', 'shell'],
  'test/bench': ['figures', 'floors', 'stage', 'bench.ts', 'report.ts', 'renewals', 'ingest'],
  'services/metering/src': [
    'callers.ts',
    'config.ts',
    'peers.ts',
    'meter',
    'usage',
    'peer',
    'ingest',
    'credit',
    'settlement',
    'report',
  ],
};

const isTest = '\\.test\\.ts$|/testing/|/testing[^/]*\\.ts$';

function layerRules([folder, names]) {
  const below = (name) => (/\.tsx?$/.test(name) ? `${name.replace('.', '\\.')}$` : `${name}/`);
  const upward = names.map((name, index) => ({
    name: `layers-of-${folder}`,
    severity: 'error',
    comment: `${name} imports only what ${folder} lists before it.`,
    from: { path: `^${folder}/${below(name)}`, pathNot: isTest },
    to: {
      path: `^${folder}/`,
      pathNot: [...names.slice(0, index + 1), 'testing'].map((n) => `^${folder}/${below(n)}`),
    },
  }));
  const listed = names.filter((name) => !name.includes('.')).map((name) => `${name}/`);
  const unlisted = {
    name: `folders-of-${folder}`,
    severity: 'error',
    comment: 'Every folder is listed among the layers.',
    from: {},
    to: { path: `^${folder}/[^/]+/`, pathNot: `^${folder}/(testing/|${listed.join('|')})` },
  };
  return [...upward, unlisted];
}

/** The boundaries that eslint cannot see: relative imports across packages, and cycles. */
module.exports = {
  forbidden: [
    ...Object.entries(layers).flatMap(layerRules),
    {
      name: 'no-cross-service',
      severity: 'error',
      comment: 'A service never imports another one, not even by a relative path.',
      from: { path: '^services/(?!kernel|chassis)([^/]+)/' },
      to: { path: '^services/(?!kernel|chassis)', pathNot: '^services/$1/' },
    },
    {
      name: 'no-page-in-page',
      severity: 'error',
      comment: 'What several pages of the dashboard need is in resources/ or parts/.',
      from: { path: '^gateway/dashboard/src/pages/([^/]+)/' },
      to: {
        path: '^gateway/dashboard/src/pages/',
        pathNot: '^gateway/dashboard/src/pages/$1/',
      },
    },
    {
      name: 'no-service-in-gateway',
      severity: 'error',
      comment: 'The gateway knows services by their contracts only.',
      from: { path: '^gateway/' },
      to: { path: '^services/(?!kernel|chassis)' },
    },
    {
      name: 'nothing-of-servers-in-browsers',
      severity: 'error',
      comment:
        'What runs in browsers takes types from everywhere, and else only what needs nothing.',
      from: { path: '^gateway/dashboard/' },
      to: {
        path: '^(services|proto|gateway/src)/',
        pathNot:
          '^(services/kernel/|gateway/src/text/amount-text|gateway/src/access/operator-permission)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Modules that import each other cannot be understood apart.',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|node_modules)/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      conditionNames: ['source', 'require', 'types', 'default'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.tsx', '.js', '.cjs', '.mjs', '.json'],
    },
  },
};
