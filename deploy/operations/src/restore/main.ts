import { runCommand } from '@billing/chassis/process';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import { readFlags } from '@billing/local/maintenance';
import { refusalFor } from '../files/refusal';
import { restore } from './restore';

const usage = `Usage: npm run restore -- --from <folder> [--data <folder>]
  --from   folder of one backup, which was made with --final
  --data   empty data folder (BILLING_DATA; default .data)`;

runCommand('restore', async () => {
  const { from, data } = readFlags(['from', 'data'], usage);
  if (from === undefined) {
    throw new StartRefusal(exitStatuses.usage, `--from must name a folder\n\n${usage}`);
  }
  try {
    return `Restored into ${await restore({ from, dataDir: data })}; npm start uses it`;
  } catch (error) {
    throw refusalFor(error);
  }
});
