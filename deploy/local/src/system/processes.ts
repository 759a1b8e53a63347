import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@billing/chassis/clock';
import { isServing } from '@billing/chassis/peer';
import { newId } from '@billing/chassis/ids';
import { dashboardProgram, dashboardUrl } from './dashboard-program';
import { keepAddresses, type KeptAddresses } from './kept-addresses';
import { openProcessFamily, type ProcessFamily } from '../process/family';
import { recoverFromRecord } from '../process/record';
import {
  gatewayUrl,
  publicUrlOf,
  serviceAddress,
  serviceEnvironment,
  type SystemSite,
} from './service-environment';
import { type ServiceName, serviceNames, services } from './services';
import type { Program } from '../process/supervised-process';
import { watchSources } from './source-watch';
import { addressesOf, type RunningSystem, withPort } from './system';
import { TypeCheck } from './type-check';

export interface ProcessesOptions {
  site: SystemSite & { logDir: string };
  /** Root folder of the repository, with the built services. */
  root: string;
  dataDir: string;
  /** Variables of every process in addition to its configuration. */
  environment: NodeJS.ProcessEnv;
  /** Runs the services from their sources and restarts them when these change, for development. */
  watches?: boolean;
  /** With `watches`: service that a debugger can attach to. */
  inspect?: ServiceName | undefined;
  /** Restarts without growing pauses, for tests that kill processes. */
  restartsWithoutBackoff?: boolean;
  log: (line: string) => void;
}

const PIDS_FILE = 'pids.json';
const PROBE_TIMEOUT_MS = 1_000;

/** Starts every service in a process of its own, and restarts it when it dies. */
export async function startSystemProcesses(options: ProcessesOptions): Promise<RunningSystem> {
  const { dataDir, log } = options;
  const site = await withPort(options.site);
  const url = gatewayUrl(site);
  const recordFile = join(dataDir, 'service-processes.json');
  await mkdir(site.logDir, { recursive: true });
  await recoverFromRecord(recordFile, log);
  const family = await openProcessFamily({
    recordFile,
    folders: [],
    log,
    onChange: (pids) => writePids(dataDir, pids),
  });
  let kept: KeptAddresses | undefined;
  try {
    if (options.watches === true) kept = await keepAddresses(site);
    // The first failure ends all: the gateway would wait a minute for an identity that refuses to
    // start.
    await Promise.all(
      serviceNames.map(async (name) => {
        await family.start(serviceProgram(name, { ...options, site, url, kept }));
      }),
    );
    if (options.watches === true) await startDashboard(family, { ...options, site });
  } catch (error) {
    await family.stop();
    await kept?.close();
    throw error;
  }
  const watcher = options.watches === true ? restartOnChange(family, options) : undefined;
  return {
    gatewayUrl: url,
    publicUrl: publicUrlOf(site),
    addresses: { ...addressesOf(site), gateway: url },
    pids: () => family.pids(),
    stop: async () => {
      watcher?.stop();
      await family.stop();
      await kept?.close();
      await rm(join(dataDir, PIDS_FILE), { force: true });
    },
  };
}

/** Writes the current process ids of the services, for scripts. */
async function writePids(dataDir: string, pids: Record<string, number>): Promise<void> {
  const file = join(dataDir, PIDS_FILE);
  await writeFile(`${file}.new`, `${JSON.stringify(pids)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

async function startDashboard(
  family: ProcessFamily,
  { root, site, environment, log }: ProcessesOptions,
): Promise<void> {
  const { logDir, port } = site;
  await family.start(dashboardProgram({ root, logDir, gatewayPort: port, environment }));
  log(`Dashboard with hot reload: ${dashboardUrl(port)}`);
}

/** Ends services whose sources changed; their supervision starts them again. */
function restartOnChange(family: ProcessFamily, { root, log }: ProcessesOptions) {
  const types = new TypeCheck({ root, log });
  return watchSources(root, (names) => {
    log(`Restarting ${names.join(', ')}`);
    void types.check(names.map((name) => services[name].folder));
    const pids = family.pids();
    for (const name of names) {
      const pid = pids[name];
      if (pid !== undefined) process.kill(pid, 'SIGTERM');
    }
  });
}

/** Node's own port of debuggers. */
const INSPECT_ADDRESS = '127.0.0.1:9229';

function watchedArgs(name: ServiceName, { root, inspect }: ProcessesOptions): string[] {
  return [
    '--conditions=source',
    ...(name === inspect ? [`--inspect=${INSPECT_ADDRESS}`] : []),
    '--require',
    '@swc-node/register',
    join(root, services[name].folder, 'src/main.ts'),
  ];
}

function serviceProgram(
  name: ServiceName,
  options: ProcessesOptions & { url: string; kept: KeptAddresses | undefined },
): Program {
  const { site, root, environment, watches, restartsWithoutBackoff, url, kept } = options;
  const address = serviceAddress(name, site);
  const instanceId = newId();
  return {
    name,
    command: process.execPath,
    args:
      watches === true
        ? watchedArgs(name, options)
        : [join(root, services[name].folder, 'dist/main.js')],
    env: {
      ...environment,
      ...(watches === true && { SWC_NODE_PROJECT: join(root, 'tsconfig.base.json') }),
      ...serviceEnvironment(name, site),
      ...kept?.environmentOf(name),
      ...(name === 'gateway' && { INSTANCE_ID: instanceId }),
    },
    cwd: root,
    logFile: join(site.logDir, `${name}.log`),
    stopSignal: 'SIGTERM',
    restartsWithoutBackoff: restartsWithoutBackoff === true || watches === true,
    isReady: async () =>
      name === 'gateway' ? await answersReady(url, instanceId) : await serves(address, site),
  };
}

async function serves(
  address: string,
  { security }: Pick<SystemSite, 'security'>,
): Promise<boolean> {
  const deadline = new Date(systemClock.now().getTime() + PROBE_TIMEOUT_MS);
  return await isServing(address, { deadline, security });
}

/**
 * True if the gateway that answers belongs to this system: another system may have taken the port.
 */
async function answersReady(url: string, instanceId: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`, {
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    // A gateway has it once it serves operators, also while the system recovers from a restore.
    return response.headers.get('x-billing-instance') === instanceId;
  } catch {
    // The gateway is not listening yet.
    return false;
  }
}
