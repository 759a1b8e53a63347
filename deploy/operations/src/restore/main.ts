import { runCommand } from '@billing/chassis/process';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import { readFlags } from '@billing/local/maintenance';
import { refusalFor } from '../files/refusal';
import { readPointInTime } from './point-in-time';
import { restore } from './restore';

const usage = `Usage: npm run restore -- --from <folder> [--archive <folder> --at <instant>] [--data <folder>]
  --from      folder of one backup, which was made with --final
  --archive   folder with the archive of npm start -- --archive
  --at        instant between the backup and the end of the archive
  --data      empty data folder (BILLING_DATA; default .data)`;

runCommand('restore', async () => {
  const { from, data, ...flags } = readFlags(['from', 'archive', 'at', 'data'], usage);
  if (from === undefined) {
    throw new StartRefusal(exitStatuses.usage, `--from must name a folder\n\n${usage}`);
  }
  const point = readPointInTime(flags, usage);
  try {
    return `Restored into ${await restore({ from, dataDir: data, point })}; npm start uses it`;
  } catch (error) {
    throw refusalFor(error);
  }
});
