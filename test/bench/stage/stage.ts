import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Closers } from '@billing/chassis/process';
import { makeSharedFolder } from '@billing/local/account';
import { ensureFirstKeys, type FirstKeys } from '@billing/local/first-keys';
import { freePort } from '@billing/chassis/listen-address';
import { type Infrastructure, startInfrastructure } from '@billing/local/infrastructure';
import { ensureSecrets } from '@billing/local/secrets';
import type { SystemSite } from '@billing/local/service-environment';
import type { RunningSystem } from '@billing/local/system';
import { startSystemProcesses } from '@billing/local/system-processes';
import { LoadGenerator } from './load-generator';
import { startProgram } from './program';

export interface StageOptions {
  /** The repository. */
  readonly root: string;
  readonly log: (line: string) => void;
  /** Folder for a CPU profile of each process at its end; absent: none. */
  readonly profileDir?: string | undefined;
}

/** A system under measurement: every service in a separate process. */
export interface StagedSystem extends RunningSystem {
  readonly keys: Required<FirstKeys>;
  readonly site: SystemSite;
  readonly pids: () => Record<string, number>;
}

/**
 * The differences between systems; they share databases and stream, as replicas do, unless others
 * are named.
 */
export type Variant = Partial<Pick<SystemSite, 'settings' | 'databasePrefix' | 'streamName'>>;

// The limiter runs, but refuses no request.
const rateLimits = {
  RATE_LIMIT_PER_SECOND: '999999',
  RATE_LIMIT_BURST: '999999',
  RATE_LIMIT_INGEST_PER_SECOND: '999999',
  RATE_LIMIT_REFUSED_KEYS_PER_SECOND: '100',
};

/** Databases, systems, floors and load for benchmarks; started on first use, stopped together. */
export class Stage {
  private readonly closers = new Closers();
  private readonly systems = new Map<string, Promise<StagedSystem>>();

  private constructor(
    readonly infrastructure: Infrastructure,
    readonly generator: LoadGenerator,
    private readonly dataDir: string,
    private readonly options: StageOptions,
  ) {}

  static async open(options: StageOptions): Promise<Stage> {
    const dataDir = await mkdtemp(join(tmpdir(), 'billing-b-'));
    // Databases run as another user when the benchmark runs as root.
    await makeSharedFolder(dataDir);
    const infrastructure = await startInfrastructure({
      dataDir,
      throwawayFolders: [dataDir],
      log: options.log,
    });
    const stage = new Stage(infrastructure, await LoadGenerator.start(), dataDir, options);
    stage.closers.add('data', () => rm(dataDir, { recursive: true, force: true }));
    stage.closers.add('infrastructure', () => infrastructure.stop());
    stage.closers.add('generator', () => {
      stage.generator.stop();
      return Promise.resolve();
    });
    return stage;
  }

  get log(): (line: string) => void {
    return this.options.log;
  }

  /** Processes that everything on the stage uses. */
  sharedPids(): Record<string, number> {
    return this.infrastructure.pids();
  }

  /** The database of a service of every system here. */
  databaseOf(service: string): string {
    return `bench_${service}`;
  }

  /** Starts a variant once, and returns the same system afterwards. */
  system(variant: Variant = {}): Promise<StagedSystem> {
    const key = JSON.stringify(variant);
    const started = this.systems.get(key) ?? this.startSystem(variant, this.systems.size + 1);
    this.systems.set(key, started);
    return started;
  }

  /** Runs a file of this folder as a process until the stage closes. */
  async program(file: string, environment: Record<string, string>): Promise<ChildProcess> {
    const child = await startProgram(file, { ...this.profiling(), ...environment });
    this.closers.add(file, () => stopped(child));
    return child;
  }

  async freePort(): Promise<number> {
    return await freePort();
  }

  /** A short path for a Unix socket. */
  socket(name: string): string {
    return `unix:${join(this.dataDir, `${name}.sock`)}`;
  }

  async close(): Promise<void> {
    await this.closers.closeAll();
  }

  private async startSystem(variant: Variant, number: number): Promise<StagedSystem> {
    const { root, log } = this.options;
    const site = await this.siteOf(`s${String(number)}`, variant);
    const { runDir } = site;
    log(`Starting the services${describe(variant)}, each in its process`);
    const environment = { ...process.env, ...this.profiling() };
    const system = await startSystemProcesses({ site, root, dataDir: runDir, environment, log });
    this.closers.add('services', () => system.stop());
    return {
      ...system,
      keys: await this.keysOf(system, variant.databasePrefix && runDir),
      site,
      pids: system.pids ?? (() => ({})),
    };
  }

  /** The site of a system; all share the databases. */
  async siteOf(name: string, variant: Variant): Promise<SystemSite & { logDir: string }> {
    const runDir = join(this.dataDir, name);
    await makeSharedFolder(runDir);
    return {
      mongodbUri: this.infrastructure.mongodbUri,
      natsUrl: this.infrastructure.natsUrl,
      databasePrefix: 'bench',
      streamName: 'BENCH',
      runDir,
      port: 0,
      secrets: await ensureSecrets(this.dataDir, { hasData: false }),
      logDir: join(runDir, 'logs'),
      ...variant,
      settings: { ...rateLimits, ...variant.settings },
    };
  }

  async keysOf({ addresses }: RunningSystem, folder = this.dataDir): Promise<Required<FirstKeys>> {
    return { testKey: '', ...(await ensureFirstKeys(addresses.identity, folder)) };
  }

  private profiling(): Record<string, string> {
    const { profileDir } = this.options;
    if (profileDir === undefined) return {};
    return { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileDir}` };
  }
}

function describe({ settings }: Variant): string {
  const ratio = settings?.TRACE_SAMPLE_RATIO;
  return ratio === undefined ? '' : ` with ${ratio} of traces recorded`;
}

function stopped(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve();
      return;
    }
    child.once('exit', () => {
      resolve();
    });
    child.disconnect();
  });
}
