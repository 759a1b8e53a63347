import type { Readable, Writable } from 'node:stream';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { CommandFailure } from './failure';

/** Streams, variables and clock of a program. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };
  readonly output: Writable & { readonly isTTY?: boolean };
  readonly errors: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  now(): Date;
}

/** Prints a line of the result. */
export function print({ output }: Terminal, line: string): void {
  output.write(`${line}\n`);
}

/** Prints a line that is not part of the result. */
export function say({ errors }: Terminal, line: string): void {
  errors.write(`${line}\n`);
}

/** True if a person can answer. */
export function isInteractive({ input, output }: Terminal): boolean {
  return input.isTTY === true && output.isTTY === true;
}

/** Asks a question on a terminal. */
export async function ask({ input, errors }: Terminal, question: string): Promise<string> {
  const lines = createInterface({ input, output: errors });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

/** Reads a secret: without echo from a terminal, else all of the standard input. */
export async function readSecret(terminal: Terminal, question: string): Promise<string> {
  const { input, errors } = terminal;
  if (input.isTTY !== true) return (await text(input)).trim();
  errors.write(question);
  input.setRawMode?.(true);
  try {
    return (await typedLine(input)).trim();
  } finally {
    input.setRawMode?.(false);
    input.pause();
    errors.write('\n');
  }
}

const interrupt = '\u0003';
const erase = ['\u007f', '\b'];
const enter = ['\r', '\n'];

async function typedLine(input: Readable): Promise<string> {
  let typed = '';
  input.setEncoding('utf8');
  for await (const chunk of input as AsyncIterable<string>) {
    for (const character of chunk) {
      if (character === interrupt) throw new CommandFailure('Interrupted');
      if (enter.includes(character)) return typed;
      typed = erase.includes(character) ? typed.slice(0, -1) : typed + character;
    }
  }
  return typed;
}
