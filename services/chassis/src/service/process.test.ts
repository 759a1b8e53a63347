import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Closers } from './process';

// Runs the sources in a process of their own, as a program's main file does.
const prelude = `
  const { transformFileSync } = require('@swc/core');
  require.extensions['.ts'] = (module, path) => module._compile(transformFileSync(path, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'commonjs' },
  }).code, path);
  const { runCommand, runProcess } = require('./process');
  const { runService } = require('./service-process');
  const { ConfigurationError } = require('./configuration');
  const { StartRefusal } = require('../start-refusal');
  const { DomainError } = require('@billing/kernel/domain-error');
  const say = (text) => process.stdout.write(text + '\\n');
  const forever = setInterval(() => {}, 1000);
`;

class Child {
  output = '';
  errors = '';
  private readonly child: ChildProcess;
  private readonly closed: Promise<unknown[]>;

  constructor(main: string, ...args: readonly string[]) {
    const options = ['--conditions=source', '-e', prelude + main, '--', ...args];
    this.child = spawn(process.execPath, options, { cwd: __dirname });
    this.closed = once(this.child, 'close');
    this.child.stdout?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.errors += chunk.toString()));
  }

  async says(text: string): Promise<void> {
    while (!this.output.includes(text)) {
      const ended = this.closed.then(() => {
        throw new Error(`Ended without it: ${this.output}${this.errors}`);
      });
      await Promise.race([once(this.child.stdout!, 'data'), ended]);
    }
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  async exitCode(): Promise<unknown> {
    const [code] = await this.closed;
    return code;
  }
}

describe('a process', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('stops once on %s and exits with 0', async (signal) => {
    const child = new Child(`
      runProcess('test', async () => {
        say('started');
        return { stop: async () => { say('stopping'); await new Promise((r) => setTimeout(r, 50)); say('stopped'); } };
      });`);
    await child.says('started');
    child.signal(signal);
    expect(await child.exitCode()).toBe(0);
    expect(child.output).toBe('started\nstopping\nstopped\n');
  });

  test('exits immediately on a second signal', async () => {
    const child = new Child(`
      runProcess('test', async () => {
        say('started');
        return { stop: () => { say('stopping'); return new Promise(() => {}); } };
      });`);
    await child.says('started');
    child.signal('SIGTERM');
    await child.says('stopping');
    child.signal('SIGTERM');
    expect(await child.exitCode()).toBe(128 + 15);
  });

  test('finishes its start before it stops', async () => {
    const child = new Child(`
      runProcess('test', async () => {
        say('starting');
        await new Promise((resolve) => process.once('SIGTERM', () => setTimeout(resolve, 50)));
        say('started');
        return { stop: async () => say('stopped') };
      });`);
    await child.says('starting');
    child.signal('SIGTERM');
    expect(await child.exitCode()).toBe(0);
    expect(child.output).toBe('starting\nstarted\nstopped\n');
  });

  test('exits with 1 if it cannot stop in time', async () => {
    const child = new Child(`
      runProcess('test', async () => {
        say('started');
        return { stopLimitMs: 50, stop: () => new Promise(() => {}) };
      });`);
    await child.says('started');
    child.signal('SIGTERM');
    expect(await child.exitCode()).toBe(1);
    expect(child.output).toContain('Not stopped within 50 ms');
  });

  test('exits with 1 if stopping fails, and logs the reason', async () => {
    const child = new Child(`
      runProcess('test', async () => {
        say('started');
        return { stop: () => Promise.reject(new Error('stuck')) };
      });`);
    await child.says('started');
    child.signal('SIGTERM');
    expect(await child.exitCode()).toBe(1);
    expect(child.output).toContain('stuck');
  });

  test('with an invalid configuration reports the problems without a stack and exits with 78', async () => {
    const child = new Child(`
      runProcess('catalog', async () => {
        throw new ConfigurationError([{ variable: 'NATS_URL', problem: 'is required' }]);
      });`);
    expect(await child.exitCode()).toBe(78);
    expect(child.errors).toBe('Invalid configuration:\n  NATS_URL: is required\n');
  });

  test('that refuses to start prints only the refusal and exits with its status', async () => {
    const child = new Child(`
      runProcess('launcher', async () => {
        throw new StartRefusal(75, 'Cannot listen on 127.0.0.1:3000: address already in use');
      });`);
    expect(await child.exitCode()).toBe(75);
    expect(child.errors).toBe('Cannot listen on 127.0.0.1:3000: address already in use\n');
  });

  test('that cannot start for an unforeseen reason reports the chain of causes and exits with 70', async () => {
    const child = new Child(`
      runProcess('catalog', () => {
        throw new Error('Keys cannot be read', { cause: new Error('unknown format') });
      });`);
    expect(await child.exitCode()).toBe(70);
    expect(child.errors).toMatch(
      /^catalog cannot start: Keys cannot be read: unknown format\nError: Keys cannot/,
    );
  });

  test.each([
    ['an exception', `throw new Error('a bug')`],
    ['a rejection', `void Promise.reject(new Error('a bug'))`],
  ])('logs %s that was not caught, stops, and exits with 70', async (_what, bug) => {
    const child = new Child(`
      runProcess('test', async () => {
        setTimeout(() => { ${bug} }, 10);
        return { stop: async () => say('stopped') };
      });`);
    expect(await child.exitCode()).toBe(70);
    const lines = child.output.trim().split('\n');
    expect(lines[1]).toBe('stopped');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'fatal',
      service: 'test',
      err: { message: 'a bug' },
    });
  });
});

describe('the process of a service', () => {
  const main = `
    runService('catalog', async ({ buildsIndexes }) => {
      buildsIndexes?.('building products.owner');
      say(buildsIndexes === undefined ? 'serving' : 'opened');
      return { address: '', stop: async () => { clearInterval(forever); say('stopped'); } };
    });`;

  test('serves without an argument', async () => {
    const child = new Child(main);
    await child.says('serving');
    child.signal('SIGTERM');
    expect(await child.exitCode()).toBe(0);
  });

  test('builds missing indexes and ends with --indexes', async () => {
    const child = new Child(main, '--indexes');
    expect(await child.exitCode()).toBe(0);
    expect(child.output).toBe('opened\nstopped\ncatalog: all indexes are built\n');
    expect(child.errors).toBe('catalog: building products.owner\n');
  });
});

describe('data that is still in memory when a process stops', () => {
  const collected: string[] = [];
  const collector = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      collected.push(`${request.url ?? ''} ${body}`);
      response.end('{}');
    });
  });
  beforeAll(async () => {
    collector.listen(0, '127.0.0.1');
    await once(collector, 'listening');
  });
  afterAll(() => {
    collector.close();
  });

  test('is sent to the collector', async () => {
    const { port } = collector.address() as AddressInfo;
    const child = new Child(`
      const { startTracing, inSpan } = require('../telemetry/tracing');
      runProcess('test', async () => {
        const tracing = startTracing({ otlpEndpoint: 'http://127.0.0.1:${String(port)}/' });
        await inSpan({ name: 'find', kind: 'client', service: 'catalog' }, async () => {});
        say('started');
        return { stop: () => tracing.shutdown() };
      });`);
    await child.says('started');
    child.signal('SIGTERM');
    expect(await child.exitCode()).toBe(0);
    expect(collected).toHaveLength(1);
    expect(collected[0]).toMatch(/^\/v1\/traces \{/);
    expect(collected[0]).toContain('"catalog"');
  });

  test('is written to the log', async () => {
    const child = new Child(`
      const { createLogger } = require('../telemetry/logging');
      runProcess('test', async () => {
        const logger = createLogger({ service: 'test', level: 'info' });
        say('started');
        return { stop: async () => logger.info('last words') };
      });`);
    await child.says('started');
    child.signal('SIGTERM');
    expect(await child.exitCode()).toBe(0);
    expect(child.output).toContain('last words');
  });
});

describe('a process that logs to a file', () => {
  test('has written all its lines when it exits, however early', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'process-'));
    const file = join(folder, 'logs', 'test.log');
    const child = new Child(`
      const { createLogger } = require('../telemetry/logging');
      createLogger({ service: 'test', level: 'info', file: ${JSON.stringify(file)} }).info('only words');
      process.exit(0);`);
    expect(await child.exitCode()).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('only words');
    rmSync(folder, { recursive: true });
  });
});

describe('closing', () => {
  test('runs in the reverse order of opening, one at a time', async () => {
    const closed: string[] = [];
    const closers = new Closers();
    for (const name of ['database', 'stream', 'server']) {
      closers.add(name, async () => {
        await Promise.resolve();
        closed.push(name);
      });
    }
    await closers.closeAll();
    expect(closed).toEqual(['server', 'stream', 'database']);
  });

  test('continues after a failure and reports it at the end', async () => {
    const closed: string[] = [];
    const closers = new Closers();
    closers.add('database', async () => {
      closed.push('database');
    });
    closers.add('stream', () => Promise.reject(new Error('lost')));
    await expect(closers.closeAll()).rejects.toMatchObject({
      message: 'Cannot close stream',
      errors: [{ cause: { message: 'lost' } }],
    });
    expect(closed).toEqual(['database']);
  });

  test('runs once, and a second call waits for the first', async () => {
    let count = 0;
    const closers = new Closers();
    closers.add('database', async () => {
      await Promise.resolve();
      count += 1;
    });
    await Promise.all([closers.closeAll(), closers.closeAll()]);
    await closers.closeAll();
    expect(count).toBe(1);
  });
});

describe('a command', () => {
  test('prints its output and exits with 0', async () => {
    const child = new Child(`
      clearInterval(forever);
      runCommand('test', async () => 'the answer');
    `);
    expect(await child.exitCode()).toBe(0);
    expect(child.output).toBe('the answer\n');
    expect(child.errors).toBe('');
  });

  test.each([
    [
      "new ConfigurationError([{ variable: 'A', problem: 'is required' }])",
      78,
      'Invalid configuration:\n  A: is required',
    ],
    ["new StartRefusal(2, 'Usage: test')", 2, 'Usage: test'],
    [
      "new DomainError('unavailable', 'PEER_UNAVAILABLE', 'Service unavailable')",
      75,
      'Service unavailable',
    ],
    [
      "new DomainError('not_found', 'OPERATOR_NOT_FOUND', 'Operator not found')",
      78,
      'Operator not found',
    ],
  ])('that fails with %s prints only the reason', async (error, status, reason) => {
    const child = new Child(`
      clearInterval(forever);
      runCommand('test', async () => {
        throw ${error};
      });
    `);
    expect(await child.exitCode()).toBe(status);
    expect(child.output).toBe('');
    expect(child.errors).toBe(`test failed: ${reason}\n`);
  });

  test('that meets an uncaught error exits with 70, and one line', async () => {
    const child = new Child(`
      runCommand('test', () => new Promise(() => {
        setImmediate(() => { throw new Error('write ENOSPC'); });
      }));
    `);
    expect(await child.exitCode()).toBe(70);
    expect(child.errors).toBe('test failed: write ENOSPC\n');
  });
});
