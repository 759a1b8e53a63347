import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@billing/chassis/clock';
import { isServing } from '@billing/chassis/peer';
import { newId } from '@billing/chassis/ids';
import { dashboardProgram, dashboardUrl } from './dashboard-program';
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

export interface ProcessesOptions {
  site: SystemSite & { logDir: string };
  /** Root folder of the repository, with the built services. */
  root: string;
  dataDir: string;
  /** Variables of every process in addition to its configuration. */
  environment: NodeJS.ProcessEnv;
  /** Runs the services from their sources and restarts them when these change, for development. */
  watches?: boolean;
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
  try {
    // The first failure ends all: the gateway would wait a minute for an identity that refuses to
    // start.
    await Promise.all(
      serviceNames.map(async (name) => {
        await family.start(serviceProgram(name, { ...options, site, url }));
      }),
    );
    if (options.watches === true) await startDashboard(family, { ...options, site });
  } catch (error) {
    await family.stop();
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
  const ports = serviceNames.map((name) => `${name} ${String(inspectPort(name))}`);
  log(`Ports of the debuggers: ${ports.join(', ')}`);
  return watchSources(root, (names) => {
    log(`Restarting ${names.join(', ')}`);
    const pids = family.pids();
    for (const name of names) {
      const pid = pids[name];
      if (pid !== undefined) process.kill(pid, 'SIGTERM');
    }
  });
}

/** Port of each service's debugger with `watches`, in the order of `serviceNames`. */
const INSPECT_PORT_FIRST = 9230;

function inspectPort(name: ServiceName): number {
  return INSPECT_PORT_FIRST + serviceNames.indexOf(name);
}

function watchedArgs(name: ServiceName, root: string): string[] {
  return [
    '--conditions=source',
    `--inspect=127.0.0.1:${String(inspectPort(name))}`,
    '--require',
    '@swc-node/register',
    join(root, services[name].folder, 'src/main.ts'),
  ];
}

function serviceProgram(
  name: ServiceName,
  {
    site,
    root,
    environment,
    watches,
    restartsWithoutBackoff,
    url,
  }: ProcessesOptions & { url: string },
): Program {
  const address = serviceAddress(name, site);
  const instanceId = newId();
  return {
    name,
    command: process.execPath,
    args:
      watches === true
        ? watchedArgs(name, root)
        : [join(root, services[name].folder, 'dist/main.js')],
    env: {
      ...environment,
      ...(watches === true && { SWC_NODE_PROJECT: join(root, 'tsconfig.base.json') }),
      ...serviceEnvironment(name, site),
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
    return response.ok && response.headers.get('x-billing-instance') === instanceId;
  } catch {
    // The gateway is not listening yet.
    return false;
  }
}
