import { runCommand } from '@billing/chassis/process';
import { readFlagValues, wrongUsage } from '@billing/local/maintenance';
import { refusalFor } from '../files/refusal';
import { backUp, type BackupResult } from './backup';

const usage = `Usage: npm run backup -- --to <folder> [--final] [--json] [--data <folder>]
  --to      folder in which the backup's folder is created
  --final   move the system: this data is not used again, unless npm start has --undo-final
  --json    print one line of JSON
  --data    data folder (BILLING_DATA; default .data)`;

const flags = {
  to: { type: 'string' },
  final: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  data: { type: 'string' },
} as const;

const bytesOfMegabyte = 1_000_000;
const msOfSecond = 1_000;

function toText({ path, bytes, instant, durationMs, pausedMs }: BackupResult): string {
  const size = `${(bytes / bytesOfMegabyte).toFixed(1)} MB`;
  const seconds = (ms: number) => `${(ms / msOfSecond).toFixed(1)} s`;
  const paused = pausedMs === 0 ? 'no writes paused' : `writes paused for ${seconds(pausedMs)}`;
  return `${path}\n${size} as of ${instant}, in ${seconds(durationMs)}, ${paused}`;
}

runCommand('backup', async () => {
  const { to, final, json, data } = readFlagValues(flags, usage);
  if (to === undefined) throw wrongUsage('--to must name a folder', usage);
  try {
    const result = await backUp({ to, final, dataDir: data });
    return json ? JSON.stringify(result) : toText(result);
  } catch (error) {
    throw refusalFor(error);
  }
});
