#!/usr/bin/env node
import { runProgram } from './program';

const { stdin: input, stdout: output, stderr: errors, env } = process;
// The clock of the caller's machine.
// eslint-disable-next-line no-restricted-syntax
const now = () => new Date();

// A reader that closes the pipe early, such as head, needs no more.
output.on('error', () => process.exit(0));
void runProgram({ input, output, errors, env, now }, process.argv.slice(2)).then((status) => {
  process.exitCode = status;
});
