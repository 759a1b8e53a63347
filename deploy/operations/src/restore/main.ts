import { runCommand } from '@billing/chassis/process';
import { readFlags, wrongUsage } from '@billing/local/maintenance';
import { refusalFor } from '../files/refusal';
import { announceRestored } from './announced-restore';
import { readInstant, readPointInTime } from './point-in-time';
import { restore } from './restore';

const usage = `Usage: npm run restore -- --from <folder> [--archive <folder> --at <instant>] [--data <folder>]
       npm run restore -- --restored <instant> [--data <folder>]
  --from      folder of one backup
  --archive   folder with the archive of npm start -- --archive
  --at        instant between the backup and the end of the archive
  --restored  instant to which other tools have put back all databases, whose services are stopped
  --data      data folder, empty with --from (BILLING_DATA; default .data)`;

runCommand('restore', async () => {
  const flags = readFlags(['from', 'archive', 'at', 'restored', 'data'], usage);
  try {
    return flags.restored === undefined
      ? await restoreBackup(flags)
      : await nameRestored(flags.restored, flags);
  } catch (error) {
    throw refusalFor(error);
  }
});

type Flags = ReturnType<typeof readFlags<'from' | 'archive' | 'at' | 'restored' | 'data'>>;

async function restoreBackup({ from, data, archive, at }: Flags): Promise<string> {
  if (from === undefined) throw wrongUsage('--from must name a folder', usage);
  const point = readPointInTime({ archive, at }, usage);
  return `Restored into ${await restore({ from, dataDir: data, point })}; npm start uses it`;
}

async function nameRestored(restored: string, { from, archive, at, data }: Flags): Promise<string> {
  if ((from ?? archive ?? at) !== undefined) {
    throw wrongUsage('--restored takes --data alone', usage);
  }
  const instant = readInstant('--restored', restored, usage);
  const { code } = await announceRestored(instant, { dataDir: data });
  return `Restore ${code} of ${instant.toISOString()}: start the services, then run npm run reconcile`;
}
