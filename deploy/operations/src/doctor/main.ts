import { runCommand } from '@billing/chassis/process';
import { readFlagValues } from '@billing/local/maintenance';
import { refusalFor } from '../files/refusal';
import type { Check } from './checks';
import { examine } from './examine';

const usage = `Usage: npm run doctor [-- [--json] [--data <folder>]]
  --json   print one line of JSON
  --data   data folder (BILLING_DATA; default .data)`;

const nameWidth = 16;

function toText(checks: readonly Check[]): string {
  return checks
    .map(({ name, ok, text }) => `${ok ? 'ok     ' : 'finding'}  ${name.padEnd(nameWidth)}${text}`)
    .join('\n');
}

runCommand('doctor', async () => {
  const { json, data } = readFlagValues(
    { json: { type: 'boolean' }, data: { type: 'string' } },
    usage,
  );
  try {
    const checks = await examine(data);
    const ok = checks.every((one) => one.ok);
    if (!ok) process.exitCode = 1;
    return json === true ? JSON.stringify({ ok, checks }) : toText(checks);
  } catch (error) {
    throw refusalFor(error);
  }
});
