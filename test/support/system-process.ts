import { type RunningSystem, startSystem } from '@billing/local/system';
import type { SystemSite } from '@billing/local/service-environment';
import { quickPasswords } from './test-site';

/**
 * Runs the system that the first message describes, and answers with its addresses. Ends with the
 * process that started it.
 */
async function main(site: SystemSite): Promise<void> {
  const system = await startSystem({ ...site, variablesOf: quickPasswords });
  const { gatewayUrl, publicUrl, addresses } = system;
  process.once('disconnect', () => void system.stop().finally(() => process.exit()));
  process.send?.({ gatewayUrl, publicUrl, addresses } satisfies Omit<RunningSystem, 'stop'>);
}

process.once('message', (site: SystemSite) => void main(site));
