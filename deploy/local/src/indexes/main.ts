import { createLogger } from '@billing/chassis/logging';
import { runCommand } from '@billing/chassis/process';
import { MongoClient } from 'mongodb';
import { onSystemData, readFlagValues, reportProgress } from '../maintenance';
import { databaseNames, mongoOptions } from '../system/moved-data';
import { serviceEnvironment, type SystemSite } from '../system/service-environment';
import { serviceNames, services } from '../system/services';
import { dropIndexes } from './drop-indexes';

const usage = `Usage: npm run indexes -- [--data <folder>] [--drop]
  --drop   then drop the indexes that neither this release nor the one before wants`;

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

async function dropOldIndexes(site: SystemSite): Promise<string> {
  const client = await MongoClient.connect(site.mongodbUri, mongoOptions(site.settings ?? {}));
  try {
    let count = 0;
    for (const [service, database] of databaseNames(site.databasePrefix)) {
      const dropped = await dropIndexes(client.db(database), (line) => {
        reportProgress(`${service}: ${line}`);
      });
      if (dropped === undefined) {
        reportProgress(`${service}: nothing is dropped: the release before recorded no indexes`);
      }
      count += dropped ?? 0;
    }
    return `${String(count)} dropped`;
  } finally {
    await client.close();
  }
}

runCommand('indexes', async () => {
  const options = { data: { type: 'string' }, drop: { type: 'boolean' } } as const;
  const { data, drop = false } = readFlagValues(options, usage);
  return onSystemData(data, async (site) => {
    const built = await buildIndexes(site);
    return drop ? `${built}; ${await dropOldIndexes(site)}` : built;
  });
});
