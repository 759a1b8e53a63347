import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { ConfigurationError, readConfiguration, serviceConfigurationShape } from './configuration';
import { productVersion } from '../version';

const schema = z.object({
  ADDRESS: z.string(),
  SECRET: z.string().min(8),
  LIMIT: z.string().optional(),
});

function problemsOf(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigurationError) {
      return error.problems.map(({ variable, problem }) => `${variable} ${problem}`);
    }
    throw error;
  }
  return [];
}

describe('reading a configuration', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'configuration-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  function fileWith(content: string): string {
    const path = join(folder, 'secret');
    writeFileSync(path, content);
    return path;
  }

  function folderWith(files: Record<string, string>): string {
    const path = mkdtempSync(join(folder, 'secrets-'));
    for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
    return path;
  }

  test('returns the values named by the schema, and no others', () => {
    const env = { ADDRESS: 'here', SECRET: 'long enough', PATH: '/bin' };
    expect(readConfiguration(schema, env)).toEqual({ ADDRESS: 'here', SECRET: 'long enough' });
  });

  test('reports every problem in one message', () => {
    const read = () => readConfiguration(schema, { SECRET: 'short', LIMIT_FILE: '/nowhere' });
    expect(problemsOf(read)).toEqual([
      'LIMIT cannot be read from the file /nowhere (ENOENT)',
      'ADDRESS is required',
      'SECRET Too small: expected string to have >=8 characters',
    ]);
    expect(read).toThrow(
      /^Invalid configuration:\n {2}LIMIT: .*\n {2}ADDRESS: .*\n {2}SECRET: .*$/,
    );
  });

  test('never includes a value in a message', () => {
    const read = () => readConfiguration(schema, { ADDRESS: 'here', SECRET: 'hunter2' });
    expect(read).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('hunter2') }),
    );
  });

  test('treats an empty value as absent', () => {
    const env = { ADDRESS: '', SECRET: 'long enough', LIMIT: '' };
    expect(problemsOf(() => readConfiguration(schema, env))).toEqual(['ADDRESS is required']);
  });

  test('reads a value from the file that `*_FILE` names and trims it', () => {
    const env = { ADDRESS: 'here', SECRET_FILE: fileWith('from the file\n') };
    expect(readConfiguration(schema, env).SECRET).toBe('from the file');
  });

  test('treats an empty file as absent', () => {
    const env = { ADDRESS: 'here', SECRET_FILE: fileWith('\n') };
    expect(problemsOf(() => readConfiguration(schema, env))).toEqual(['SECRET is required']);
  });

  test('refuses a variable that is set both directly and by a file', () => {
    const env = { ADDRESS: 'here', SECRET: 'long enough', SECRET_FILE: fileWith('another') };
    expect(problemsOf(() => readConfiguration(schema, env))).toEqual([
      'SECRET is set by SECRET and SECRET_FILE; set only one',
    ]);
  });

  test('reads variables from files in the secrets folder and leaves out those without a file', () => {
    const SECRETS_FOLDER = folderWith({ SECRET: 'from the folder\n', '..data': 'of the mount' });
    expect(readConfiguration(schema, { ADDRESS: 'here', SECRETS_FOLDER })).toEqual({
      ADDRESS: 'here',
      SECRET: 'from the folder',
    });
    const alone = { ADDRESS: 'here', SECRETS_FOLDER: folderWith({}) };
    expect(problemsOf(() => readConfiguration(schema, alone))).toEqual(['SECRET is required']);
  });

  test('refuses a file in the secrets folder that no variable uses, unless another part of the process uses it', () => {
    const SECRETS_FOLDER = folderWith({ SECRET: 'from the folder', LIMITS: '5' });
    const env = { ADDRESS: 'here', SECRETS_FOLDER };
    expect(problemsOf(() => readConfiguration(schema, env))).toEqual([
      'LIMITS lies in SECRETS_FOLDER, but nothing reads it',
    ]);
    expect(readConfiguration(schema, env, { isPart: true }).SECRET).toBe('from the folder');
  });

  test('refuses a variable that is set in the secrets folder and elsewhere', () => {
    const SECRETS_FOLDER = folderWith({ SECRET: 'from the folder' });
    const env = { ADDRESS: 'here', SECRET: 'long enough', SECRETS_FOLDER };
    expect(problemsOf(() => readConfiguration(schema, env))).toEqual([
      'SECRET is set by SECRET and a file in SECRETS_FOLDER; set only one',
    ]);
  });

  test('refuses a secrets folder that does not exist', () => {
    const env = { ADDRESS: 'here', SECRET: 'long enough', SECRETS_FOLDER: '/nowhere' };
    expect(problemsOf(() => readConfiguration(schema, env))).toEqual([
      'SECRETS_FOLDER cannot be read (ENOENT)',
    ]);
  });

  test('applies rules between variables', () => {
    const related = schema.refine(({ ADDRESS }) => ADDRESS !== 'here', {
      path: ['ADDRESS'],
      message: 'must be elsewhere',
    });
    const env = { ADDRESS: 'here', SECRET: 'long enough' };
    expect(problemsOf(() => readConfiguration(related, env))).toEqual([
      'ADDRESS must be elsewhere',
    ]);
  });

  test('supports a schema that transforms its object', () => {
    const transformed = schema.transform(({ ADDRESS }) => ({ address: ADDRESS }));
    const env = { ADDRESS: 'here', SECRET: 'long enough' };
    expect(readConfiguration(transformed, env)).toEqual({ address: 'here' });
  });
});

describe('the configuration of every service', () => {
  const required = {
    MONGODB_URI: 'mongodb://%2Ftmp%2Fmongodb.sock/?retryWrites=false',
    MONGODB_DATABASE: 'catalog',
    NATS_URL: 'nats://127.0.0.1:4222',
    GRPC_LISTEN: '127.0.0.1:0',
  };
  const read = (env: Record<string, string>) =>
    readConfiguration(z.object(serviceConfigurationShape), env);

  test('has defaults for everything except addresses', () => {
    expect(read(required)).toEqual({
      ...required,
      STREAM_NAME: 'BILLING',
      STREAM_REPLICAS: 1,
      STREAM_MAX_BYTES: 268_435_456,
      RETENTION_EVENTS: 400,
      LOG_LEVEL: 'info',
      TRACE_SAMPLE_RATIO: 1,
      DISK_RESERVE_MB: 256,
      SHUTDOWN_GRACE_MS: 10_000,
      DRAIN_DELAY_MS: 0,
      METRIC_EXPORT_INTERVAL_MS: 60_000,
      GRPC_IN_FLIGHT_MAX: 256,
      GRPC_CONNECTION_AGE_MS: 300_000,
      GRPC_REFLECTION: false,
      SERVICE_VERSION: productVersion,
    });
    expect(problemsOf(() => read({}))).toEqual(
      ['MONGODB_URI', 'MONGODB_DATABASE', 'NATS_URL', 'GRPC_LISTEN'].map(
        (name) => `${name} is required`,
      ),
    );
  });

  test.each([
    ['GRPC_LISTEN', 'unix:/run/catalog.sock'],
    ['GRPC_LISTEN', '0.0.0.0:5000'],
    ['GRPC_LISTEN', '[::1]:5000'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318'],
    ['LOG_LEVEL', 'debug'],
    ['LOG_FILE', '/var/log/catalog.log'],
  ])('accepts %s %s', (variable, value) => {
    expect(read({ ...required, [variable]: value })).toMatchObject({ [variable]: value });
  });

  test.each([
    ['TRACE_SAMPLE_RATIO', '0.05', 0.05],
    ['TRACE_SAMPLE_RATIO', '0', 0],
    ['TRACE_SAMPLE_RATIO', '1.0', 1],
    ['SHUTDOWN_GRACE_MS', '2500', 2500],
    ['RETENTION_EVENTS', '40', 40],
    ['GRPC_IN_FLIGHT_MAX', '1', 1],
    ['GRPC_CONNECTION_AGE_MS', '60000', 60_000],
    ['METRIC_EXPORT_INTERVAL_MS', '5000', 5_000],
    ['GRPC_REFLECTION', 'true', true],
  ])('parses %s %s', (variable, value, expected) => {
    expect(read({ ...required, [variable]: value })).toMatchObject({ [variable]: expected });
  });

  test.each([
    ['GRPC_LISTEN', '5000'],
    ['GRPC_LISTEN', 'unix:relative.sock'],
    ['MONGODB_URI', 'localhost:27017'],
    ['MONGODB_DATABASE', 'a.b'],
    ['STREAM_NAME', 'billing.events'],
    ['STREAM_REPLICAS', '0'],
    ['STREAM_REPLICAS', '6'],
    ['STREAM_MAX_BYTES', '999999'],
    ['STREAM_MAX_BYTES', '256MB'],
    ['RETENTION_EVENTS', '39'],
    ['RETENTION_EVENTS', '36501'],
    ['RETENTION_EVENTS', '40d'],
    ['LOG_LEVEL', 'loud'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['TRACE_SAMPLE_RATIO', '1.5'],
    ['TRACE_SAMPLE_RATIO', '5%'],
    ['SHUTDOWN_GRACE_MS', '-1'],
    ['SHUTDOWN_GRACE_MS', '10s'],
    ['GRPC_IN_FLIGHT_MAX', '0'],
    ['GRPC_IN_FLIGHT_MAX', 'many'],
    ['GRPC_CONNECTION_AGE_MS', '0'],
    ['METRIC_EXPORT_INTERVAL_MS', '0'],
    ['GRPC_REFLECTION', 'yes'],
  ])('refuses %s %s', (variable, value) => {
    expect(problemsOf(() => read({ ...required, [variable]: value }))).toEqual([
      expect.stringMatching(`^${variable} `),
    ]);
  });

  describe('for mutual TLS', () => {
    const malformed = {
      GRPC_TLS_CERT: 'must be a certificate in PEM',
      GRPC_TLS_KEY: 'must be a private key in PEM',
      GRPC_TLS_CA: 'must be certificates in PEM',
    };
    const variables = Object.keys(malformed) as (keyof typeof malformed)[];
    const combinations = Array.from({ length: 8 }, (_, bits) =>
      variables.filter((_variable, index) => (bits & (1 << index)) !== 0),
    );

    test.each(combinations.map((given) => ({ given })))(
      'with $given names the missing variables and reads the present ones',
      ({ given }) => {
        const env = Object.fromEntries(given.map((variable) => [variable, 'not PEM']));
        const missing = given.length === 0 ? [] : variables.filter((one) => !given.includes(one));
        expect(problemsOf(() => read({ ...required, ...env }))).toEqual([
          ...missing.map((one) => `${one} is required together with ${given.join(' and ')}`),
          ...given.map((one) => `${one} ${malformed[one]}`),
        ]);
      },
    );

    test('reports its problems together with all others, without the key', () => {
      const env = { GRPC_TLS_KEY: 'hunter2', GRPC_TLS_CA_FILE: '/nowhere', GRPC_LISTEN: 'x' };
      const reading = () => read({ ...required, ...env });
      expect(problemsOf(reading)).toEqual([
        'GRPC_TLS_CA cannot be read from the file /nowhere (ENOENT)',
        'GRPC_TLS_CERT is required together with GRPC_TLS_KEY',
        'GRPC_TLS_KEY must be a private key in PEM',
        'GRPC_LISTEN must be host:port or unix:/path',
      ]);
      expect(reading).toThrow(
        expect.not.objectContaining({ message: expect.stringContaining('hunter2') }),
      );
    });
  });
});
