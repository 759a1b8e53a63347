import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@billing/chassis/testing';
import { readLauncherEnvironment } from '@billing/local/config';
import type { ContainerOptions, ContainerServer } from '@billing/local/containers';
import type { Engine } from './engine';

/** Makes a server in a container ready to be started, as the launcher does. */
type Prepare = (options: ContainerOptions) => Promise<ContainerServer>;

/** A server that the launcher's container process runs on an engine. */
export class ServerContainer {
  readonly #child: ChildProcess;

  private constructor(
    private readonly engine: Engine,
    child: ChildProcess,
    /** Address with credentials. */
    readonly uri: string,
    /** Name of the container and of its volume. */
    readonly name: string,
  ) {
    this.#child = child;
  }

  /** Starts it with the data of `folder`, which earlier ones may have left. */
  static async start(prepare: Prepare, engine: Engine, folder: string): Promise<ServerContainer> {
    const logFile = join(folder, 'container.log');
    const [dataDir, runDir] = [join(folder, 'databases'), join(folder, 'run')];
    for (const one of [dataDir, runDir]) await mkdir(one, { recursive: true });
    const environment = readLauncherEnvironment({
      PATH: process.env.PATH,
      DOCKER_HOST: engine.host,
    });
    const { program, uri } = await prepare({ environment, dataDir, runDir, logFile });
    await engine.network.publish(Number(new URL(uri).port));
    const log = openSync(logFile, 'a');
    const { command, args, env, cwd } = program;
    const child = spawn(command, args, { env, cwd, stdio: ['ignore', log, log] });
    closeSync(log);
    await eventually(async () => {
      if (child.exitCode !== null) return;
      if (!(await program.isReady())) throw new Error('The server is not ready');
    });
    if (child.exitCode !== null) throw new Error(await readFile(logFile, 'utf8'));
    const [, settingsFile = ''] = args.slice(-2);
    const { name } = JSON.parse(await readFile(settingsFile, 'utf8')) as { name: string };
    return new ServerContainer(engine, child, uri, name);
  }

  get port(): number {
    return Number(new URL(this.uri).port);
  }

  /** Ends the container as by a lack of memory; resolves to the exit status of its process. */
  async killContainer(): Promise<number | null> {
    const ended = once(this.#child, 'exit');
    await this.engine.docker(['kill', this.name]);
    return ((await ended) as [number | null])[0];
  }

  /** Ends the process, as its launcher does; resolves to its exit status. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    return ((await ended) as [number | null])[0];
  }
}
