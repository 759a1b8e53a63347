import { createLogger } from '@billing/chassis/logging';
import { runCommand } from '@billing/chassis/process';
import { onSystemData, readFlags, reportProgress } from '../maintenance';
import { serviceEnvironment, type SystemSite } from '../system/service-environment';
import { serviceNames, services } from '../system/services';

const usage = 'Usage: npm run indexes -- [--data <folder>]';

/** Builds the indexes of each service that are missing, on collections of any size. */
async function buildIndexes(site: SystemSite): Promise<string> {
  let count = 0;
  for (const name of serviceNames.filter((one) => one !== 'gateway')) {
    const running = await services[name].start(serviceEnvironment(name, site), {
      logger: createLogger({ service: name, level: 'silent' }),
      buildsIndexes: (line) => {
        count += 1;
        reportProgress(`${name}: ${line}`);
      },
    });
    await running.stop();
  }
  return count === 0 ? 'All indexes exist' : 'All indexes are built';
}

runCommand('indexes', async () => onSystemData(readFlags(['data'], usage).data, buildIndexes));
