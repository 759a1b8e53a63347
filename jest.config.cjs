const path = require('node:path');
const tiers = require('./test/support/test-tiers.cjs');

const packages = ['services', 'gateway', 'deploy', 'proto'];

// Published as ES modules alone.
const esModules =
  'uuid|openid-client|oauth4webapi|jose|svix|intl-messageformat|@formatjs[+/][\\w-]+';

const project = {
  rootDir: __dirname,
  testEnvironment: 'node',
  testRunner: '<rootDir>/test/support/jest/runner.cjs',
  // Workspace packages are tested from their sources: no build is needed, none can be stale.
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'require', 'default'] },
  transform: {
    '\\.[cm]?[jt]s$': [
      '@swc/jest',
      {
        jsc: { target: 'es2024', parser: { syntax: 'typescript' }, keepClassNames: true },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
  },
  // Below pnpm's folder the package's own name comes last.
  transformIgnorePatterns: [
    `/node_modules/(?!(\\.pnpm/|(${esModules})/))`,
    `/\\.pnpm/(?!(${esModules})@)`,
  ],
  modulePathIgnorePatterns: ['/dist/'],
  moduleNameMapper: { '^fast-check$': '<rootDir>/test/support/jest/fast-check.cjs' },
  testPathIgnorePatterns: ['/node_modules/', '/dist/', ...tiers.leftOut],
};

const withInfrastructure = {
  globalSetup: path.join(__dirname, 'test/support/jest/infrastructure-setup.ts'),
  globalTeardown: path.join(__dirname, 'test/support/jest/infrastructure-teardown.ts'),
  setupFilesAfterEnv: [path.join(__dirname, 'test/support/shard-keys/setup.ts')],
};

module.exports = {
  rootDir: __dirname,
  testSequencer: '<rootDir>/test/support/test-order.cjs',
  // For what hangs; how long anything takes is no test's matter.
  testTimeout: 600_000,
  reporters: ['default', '<rootDir>/test/support/jest/closing-line.cjs'],
  projects: [
    {
      ...project,
      displayName: 'unit',
      roots: packages.map((folder) => `<rootDir>/${folder}`),
      testMatch: ['**/*.test.ts'],
      testPathIgnorePatterns: [...project.testPathIgnorePatterns, '\\.integration\\.test\\.ts$'],
    },
    {
      ...project,
      ...withInfrastructure,
      displayName: 'integration',
      roots: packages.map((folder) => `<rootDir>/${folder}`),
      testMatch: ['**/*.integration.test.ts'],
    },
    {
      ...project,
      ...withInfrastructure,
      displayName: 'e2e',
      roots: ['<rootDir>/test'],
      testMatch: tiers.acrossServices,
    },
  ],
};
