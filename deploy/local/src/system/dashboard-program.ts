import { join } from 'node:path';
import { gatewayUrl } from './service-environment';
import type { Program } from '../process/supervised-process';

const PROBE_TIMEOUT_MS = 1_000;

export interface DashboardOptions {
  /** Root folder of the repository. */
  root: string;
  logDir: string;
  /** Port of the gateway; the server listens one port above it. */
  gatewayPort: number;
  environment: NodeJS.ProcessEnv;
}

/** URL at which Vite's development server serves the dashboard. */
export function dashboardUrl(gatewayPort: number): string {
  return `${gatewayUrl({ port: gatewayPort + 1 })}/dashboard/`;
}

/** Vite's development server. It passes everything but the dashboard's files to the gateway. */
export function dashboardProgram(options: DashboardOptions): Program {
  const { root, logDir, gatewayPort, environment } = options;
  const folder = join(root, 'gateway/dashboard');
  const port = String(gatewayPort + 1);
  return {
    name: 'dashboard',
    command: process.execPath,
    args: [join(folder, 'node_modules/vite/bin/vite.js'), '--port', port, '--strictPort'],
    env: { ...environment, GATEWAY_URL: gatewayUrl({ port: gatewayPort }) },
    cwd: folder,
    logFile: join(logDir, 'dashboard.log'),
    stopSignal: 'SIGTERM',
    isReady: () => serves(dashboardUrl(gatewayPort)),
  };
}

async function serves(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  return await fetch(url, { signal }).then(
    ({ ok }) => ok,
    () => false,
  );
}
