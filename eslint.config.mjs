import eslint from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

const tests = ['**/*.test.ts', 'test/**/*.ts', 'services/*/src/**/testing/**/*.ts'];

// Where each kind of module may be imported; the reasons are in the READMEs of the folders.
const noService = {
  regex: '^@billing/(?!(kernel|chassis|presentation|documents|proto)/)',
  message: 'A service never imports another service: call it by gRPC.',
};
const noInfrastructure = (names) => ({
  regex: `^(${names.join('|')})(/|$)`,
  message: 'Only the chassis (and store files, for mongodb) may import this.',
});
const infrastructure = [
  'mongodb',
  'nats',
  '@grpc/grpc-js',
  'grpc-health-check',
  '@opentelemetry/.*',
  'pino',
];
const domainOnly = {
  // Pure computation is no I/O: hashing, decompression, and the ranges of IP addresses.
  regex:
    '^(?!(node:crypto|node:zlib|ipaddr\\.js)$)(@billing/(?!(kernel|presentation)/)|node:|[^.@]|@(?!billing/))',
  message:
    'A rule imports only @billing/kernel, @billing/presentation and rules of its own service.',
};
// In every folder of a service: the files that connect it to its peers, and gRPC handlers.
const edges = [
  'services/*/src/**/{callers,collections,commands,config,events,main,peers,rpc,service}.ts',
  'services/*/src/**/*-rpc.ts',
  // Conversions between a proto message or a document and its value of the domain.
  'services/*/src/**/*-{message,document}.ts',
  'services/*/src/first-owner.ts',
  // Scans of resources, converted to messages for exports.
  'services/*/src/exported-resources.ts',
];
const stores = ['services/*/src/**/store.ts', 'services/*/src/**/*-store.ts'];
// A use case is named after its verb, such as create-subscription.ts.
const verbs = [
  'accept',
  'append',
  'audit',
  'burn',
  'cancel',
  'close',
  'create',
  'decide',
  'delete',
  'describe',
  'end',
  'ensure',
  'erase',
  'find',
  'ingest',
  'list',
  'pay',
  'read',
  'reassert',
  'receive',
  'recover',
  'reserve',
  'reset',
  'retry',
  'run',
  'send',
  'settle',
  'sign',
  'start',
  'take',
  'update',
];
const workers = [
  'services/*/src/**/*-worker.ts',
  // Queues of one process.
  'services/*/src/**/*-queue.ts',
  ...verbs.map((verb) => `services/*/src/**/${verb}-*.ts`),
  // Use cases of one noun.
  'services/identity/src/operator/second-factors.ts',
  // Folders that talk to other systems.
  'services/*/src/**/{peer,provider,sending}/**/*.ts',
];
// Rules whose names or folders look like an edge or a worker.
const rules = ['!services/*/src/**/retry-schedule.ts', '!services/checkout/src/provider/port/**'];

export default tseslint.config(
  {
    ignores: [
      '**/dist/',
      '**/gen/',
      '**/node_modules/',
      '.data/',
      '.cache/',
      '**/*.mjs',
      '**/*.cjs',
    ],
  },
  eslint.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: ['tsconfig.lint.json', 'gateway/dashboard/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      eqeqeq: 'error',
      // Prettier wraps code and leaves comments.
      'max-len': [
        'error',
        { code: 1_000, comments: 100, ignoreUrls: true, ignorePattern: 'eslint-disable' },
      ],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
      // Handlers and rules are async by their type even where nothing is awaited yet.
      '@typescript-eslint/require-await': 'off',
      // Express and others type by shape; an object need not come from the class it is typed as.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
          message: 'Time comes in as a value or from a Clock.',
        },
        {
          selector: "NewExpression[callee.name='Date'][arguments.length=0]",
          message: 'Time comes in as a value or from a Clock.',
        },
        {
          selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
          message: 'Chance comes from chassis/ids.',
        },
        {
          selector: "MemberExpression[object.name='process'][property.name='env']",
          message: 'Configuration is read in config.ts.',
        },
        {
          selector:
            "CallExpression[callee.name='parseFloat'], CallExpression[callee.property.name='toFixed']",
          message: 'Amounts are exact: bigint or Decimal.',
        },
        { selector: 'ExportAllDeclaration', message: 'Export by name.' },
      ],
    },
  },
  {
    files: ['services/*/src/**/*.ts', 'gateway/src/**/*.ts'],
    ignores: ['services/chassis/**', 'services/kernel/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [noService, noInfrastructure(infrastructure)] },
      ],
    },
  },
  {
    files: [
      'services/{identity,catalog,customer,discount,checkout,subscription,metering,notifier}/src/**/*.ts',
    ],
    ignores: [...edges, ...stores, ...workers, ...rules, ...tests],
    rules: { 'no-restricted-imports': ['error', { patterns: [domainOnly] }] },
  },
  {
    files: stores,
    ignores: ['services/chassis/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            noService,
            noInfrastructure(infrastructure.filter((name) => name !== 'mongodb')),
          ],
        },
      ],
    },
  },
  {
    files: ['services/kernel/src/**/*.ts'],
    ignores: tests,
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^[^.]', message: 'The kernel depends on nothing.' }] },
      ],
    },
  },
  {
    // A catalogue is one list of texts.
    files: ['services/presentation/src/catalogue/*.ts'],
    rules: { 'max-lines': 'off' },
  },
  {
    files: ['services/presentation/src/**/*.ts'],
    ignores: tests,
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^(@billing/(?!kernel/)|node:|(?!(intl-messageformat|markdown-it)$)[^.@])',
              message: 'Texts and documents are computed from data, without I/O.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['services/chassis/src/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { regex: '^@billing/(?!(kernel|proto)/)', message: 'The chassis knows no service.' },
          ],
        },
      ],
    },
  },
  {
    // The dashboard runs in browsers: of our packages it bundles only modules without dependencies.
    files: ['gateway/dashboard/src/**/*.{ts,tsx}'],
    plugins: { 'react-hooks': reactHooks },
    rules: {
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      // Handlers answer with what they call, such as a mutation.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  {
    // The only places that read the wall clock, chance and the environment.
    files: ['services/chassis/src/**/{clock,ids,configuration}.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    // The launcher is the edge to the machine; tests drive real time and processes.
    files: ['deploy/{local,operations}/src/**/*.ts', ...tests],
    rules: { 'no-restricted-syntax': 'off', 'no-restricted-imports': 'off' },
  },
  {
    files: tests,
    rules: {
      'max-lines-per-function': 'off',
      // Matchers such as expect.any() are untyped by design.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Answers of the API are JSON of any shape: reading them wrongly fails the test.
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/restrict-template-expressions': 'off',
    },
  },
);
