#!/usr/bin/env node
import { runProgram } from './program';

const { stdin: input, stdout: output, stderr: errors, env } = process;
// The clock of the caller's machine.
// eslint-disable-next-line no-restricted-syntax
const now = () => new Date();

const args = process.argv.slice(2);
output.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // A reader such as head closes the pipe when it has what it wants; an export must be whole.
  if (code === 'EPIPE' && !args.includes('export')) process.exit(0);
  errors.write(`The output is incomplete: ${message}\n`);
  process.exit(1);
});
void runProgram({ input, output, errors, env, now }, args).then((status) => {
  process.exitCode = status;
});
