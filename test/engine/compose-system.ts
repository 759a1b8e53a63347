import { execFileSync } from 'node:child_process';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { eventually } from '@billing/chassis/testing';
import { productVersion } from '@billing/chassis/version';
import { parse } from 'yaml';
import { buildCaddy, buildMongoDb, buildNats, buildNode } from './base-images';
import type { Engine } from './engine';
import { startForwardProxy } from './forward-proxy';

const root = join(__dirname, '../..');
// That of the engine's own bridge, which containers of a build reach.
const bridge = '172.17.0.1';
const proxyPort = 3128;
const buildTimeoutMs = 60 * 60_000;
const startTimeoutMs = 20 * 60_000;

/** A container, as the engine describes it. */
export interface Container {
  readonly service: string;
  readonly id: string;
  readonly restarts: number;
  readonly pid: number;
  readonly isHealthy: boolean;
}

/** Builds the images that `compose.yaml` names: ours by their recipe, the others as stand-ins. */
export async function buildImages(engine: Engine, work: string): Promise<void> {
  const { services } = parse(await readFile(join(root, 'deploy/compose/compose.yaml'), 'utf8'));
  const { nodeVersion } = parse(await readFile(join(root, 'pnpm-workspace.yaml'), 'utf8'));
  const standIns = [
    ['mongodb', buildMongoDb, services.mongodb.image],
    ['nats', buildNats, services.nats.image],
    ['caddy', buildCaddy, services.caddy.image],
    ['node', buildNode, `node:${String(nodeVersion)}-bookworm-slim`],
  ] as const;
  for (const [folder, build, name] of standIns) {
    await mkdir(join(work, folder), { recursive: true });
    await build(engine, [name as string], join(work, folder));
  }
  const proxy = await startForwardProxy();
  await engine.network.lead(bridge, proxyPort, proxy.port);
  try {
    await engine.docker(
      [
        ...['buildx', 'bake', '--file', 'deploy/images/bake.hcl', '--load'],
        // As the README has it, and the way to the registry.
        ...['--set', `*.platform=linux/${process.arch === 'arm64' ? 'arm64' : 'amd64'}`],
        ...['--set', `*.args.HTTPS_PROXY=http://${bridge}:${String(proxyPort)}`],
      ],
      { folder: root, env: { VERSION: productVersion }, timeoutMs: buildTimeoutMs },
    );
  } finally {
    proxy.close();
  }
}

/** The system of `deploy/compose` on an engine, at https://localhost. */
export class ComposeSystem {
  private constructor(
    private readonly engine: Engine,
    private readonly folder: string,
  ) {}

  /** Makes its secrets; the address of the website is `localhost`, which needs no authority. */
  static async setUp(engine: Engine, work: string): Promise<ComposeSystem> {
    const folder = join(work, 'deploy/compose');
    const isOwn = (path: string) => !/compose\/(secrets|\.env)/.test(path);
    await cp(join(root, 'deploy/compose'), folder, { recursive: true, filter: isOwn });
    await cp(join(root, 'deploy/vm/Caddyfile'), join(work, 'deploy/vm/Caddyfile'));
    execFileSync(join(folder, 'setup'), ['localhost', productVersion]);
    return new ComposeSystem(engine, folder);
  }

  /** The same system on an engine that was started again. */
  on(engine: Engine): ComposeSystem {
    return new ComposeSystem(engine, this.folder);
  }

  async up(): Promise<void> {
    await this.compose('up', '--detach', '--wait');
  }

  compose(...args: readonly string[]): Promise<string> {
    const options = { folder: this.folder, timeoutMs: startTimeoutMs };
    return this.engine.docker(['compose', ...args], options);
  }

  /** The command of the README that prints the first owner's link. */
  async firstOwnerLink(): Promise<string> {
    const readme = await readFile(join(this.folder, 'README.md'), 'utf8');
    const [, line = ''] = /^docker compose (exec .*first-owner\.js)/m.exec(readme) ?? [];
    const [exec = '', ...args] = line.replaceAll("'", '').split(' ');
    return (await this.compose(exec, '--no-TTY', ...args)).trim();
  }

  /** Serves the website on a port of this machine, and trusts its authority in this process. */
  async publish(port: number): Promise<string> {
    await this.engine.network.publish(443, port);
    const file = '/data/caddy/pki/authorities/local/root.crt';
    const certificate = await eventually(() =>
      this.compose('exec', '--no-TTY', 'caddy', 'cat', file),
    );
    setDefaultCACertificates([...getCACertificates('default'), certificate]);
    return `https://localhost:${String(port)}`;
  }

  async containers(): Promise<Container[]> {
    const ids = (await this.compose('ps', '--all', '--quiet')).trim().split('\n');
    const all = JSON.parse(await this.engine.docker(['inspect', ...ids])) as any[];
    return all.map(({ Id, Config, RestartCount, State }) => ({
      service: Config.Labels['com.docker.compose.service'],
      id: Id,
      restarts: RestartCount,
      pid: State.Pid,
      isHealthy: State.Health.Status === 'healthy',
    }));
  }

  /** Waits until each container runs and its health check passes. */
  async untilHealthy(): Promise<Container[]> {
    return await eventually(async () => {
      const containers = await this.containers();
      const ill = containers.filter(({ isHealthy }) => !isHealthy);
      if (ill.length > 0) throw new Error(`Not healthy: ${ill.map((one) => one.service).join()}`);
      return containers;
    });
  }
}
