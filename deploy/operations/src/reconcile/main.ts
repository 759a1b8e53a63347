import { runCommand } from '@billing/chassis/process';
import { readFlagValues } from '@billing/local/maintenance';
import { refusalFor } from '../files/refusal';
import { reconcile } from './reconcile';
import { isClean, toText } from './report';

const usage = `Usage: npm run reconcile [-- [--open <reason>] [--json] [--data <folder>]]
  --open   open the system despite what was found; the reason stands in the audit log
  --json   print one line of JSON
  --data   data folder of the running system (BILLING_DATA; default .data)`;

const flags = {
  open: { type: 'string' },
  json: { type: 'boolean', default: false },
  data: { type: 'string' },
} as const;

runCommand('reconcile', async () => {
  const { open: openReason, json, data: dataDir } = readFlagValues(flags, usage);
  try {
    const report = await reconcile({ dataDir, openReason });
    if (report === undefined) return json ? '{"opened":true}' : 'The system is open';
    if (!isClean(report)) process.exitCode = 1;
    return json ? JSON.stringify(report) : toText(report);
  } catch (error) {
    throw refusalFor(error);
  }
});
