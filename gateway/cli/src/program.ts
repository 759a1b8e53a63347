import { BillingConnectionError, BillingError } from '@billing/client';
import { Command, CommanderError } from 'commander';
import { type ApiFlags, callApi } from './command/api';
import { advanceClock, showClock, stopClock } from './command/clock';
import { completion } from './command/completion';
import { examine } from './command/doctor';
import { exportResource } from './command/export';
import { listen } from './command/listen';
import type { McpFlags } from './command/mcp';
import { listProfiles, login, logout, showStatus } from './command/profiles';
import { createSandbox, deleteSandbox, listSandboxes } from './command/sandbox';
import { trigger } from './command/trigger';
import { CommandFailure, exitStatus } from './terminal/failure';
import { release } from './session/release';
import { say, type Terminal } from './terminal/terminal';

/** Runs a command line and returns its exit status. */
export async function runProgram(terminal: Terminal, args: readonly string[]): Promise<number> {
  try {
    await createProgram(terminal).parseAsync(args, { from: 'user' });
    return exitStatus.done;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitStatus.done : exitStatus.usage;
    }
    for (const line of linesOf(error)) say(terminal, line);
    return error instanceof CommandFailure ? error.status : exitStatus.failed;
  }
}

/** No stack, and nothing that contains a key. */
function linesOf(error: unknown): string[] {
  if (error instanceof BillingError) {
    const { message, code, requestId } = error;
    return [`${message}${code === undefined ? '' : ` (${code})`}`, `Request ${requestId ?? '-'}`];
  }
  if (error instanceof BillingConnectionError) {
    return [`${error.message}. Is the URL right? See: billing status`];
  }
  return [error instanceof Error ? error.message : String(error)];
}

function createProgram(terminal: Terminal): Command {
  const program = new Command('billing')
    .description('Works with a billing system from the command line')
    .version(release)
    .option('--profile <name>', 'the environment to use')
    .option('--json', 'print one JSON object in a line')
    .option('--live', 'skip the question before a change with a live key')
    .addHelpText('after', exampleOf('billing login --url https://pay.example.com'))
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.output.write(text),
      writeErr: (text) => terminal.errors.write(text),
    });
  addProfiles(program, terminal);
  addSandboxes(program, terminal);
  addRest(program, terminal);
  return program;
}

/** Adds a command with an example; its flags include those of the program. */
function add(
  parent: Command,
  usage: string,
  [summary, example]: readonly [string, string],
): Command {
  return parent
    .command(usage)
    .description(summary)
    .copyInheritedSettings(parent)
    .addHelpText('after', exampleOf(example));
}

function exampleOf(example: string): string {
  return `\nExample:\n  ${example}`;
}

function addProfiles(program: Command, terminal: Terminal): void {
  add(program, 'login', [
    'read a key, try it and store it',
    'billing login --url https://pay.example.com',
  ])
    .option('--url <url>', 'of the gateway')
    .action((_flags, command: Command) => login(terminal, command.optsWithGlobals()));
  add(program, 'logout', ['remove a profile', 'billing logout --profile default']).action(
    (_flags, command: Command) => logout(terminal, command.optsWithGlobals()),
  );
  add(program, 'profiles', ['list the profiles', 'billing profiles']).action(
    (_flags, command: Command) => listProfiles(terminal, command.optsWithGlobals()),
  );
  add(program, 'status', ['show what commands use', 'billing status']).action(
    (_flags, command: Command) => showStatus(terminal, command.optsWithGlobals()),
  );
}

function addSandboxes(program: Command, terminal: Terminal): void {
  const sandbox = add(program, 'sandbox', [
    'create, list and delete sandboxes',
    'billing sandbox list',
  ]);
  add(sandbox, 'create', ['create a sandbox', 'billing sandbox create --manual --use'])
    .option('--manual', 'with a manually advanced clock')
    .option('--starts-at <time>', 'first time of a manual clock')
    .option('--use', 'store its key as the current profile')
    .option('--print-key', 'print its key')
    .action((_flags, command: Command) => createSandbox(terminal, command.optsWithGlobals()));
  add(sandbox, 'list', ['list the sandboxes', 'billing sandbox list']).action(
    (_flags, command: Command) => listSandboxes(terminal, command.optsWithGlobals()),
  );
  add(sandbox, 'delete <id>', ['delete a sandbox', 'billing sandbox delete ID']).action(
    (id: string, _flags, command: Command) =>
      deleteSandbox(terminal, id, command.optsWithGlobals()),
  );
  const clock = add(program, 'clock', ['show the clock', 'billing clock']).action(
    (_flags, command: Command) => showClock(terminal, command.optsWithGlobals()),
  );
  add(clock, 'advance <to>', ['advance the clock', 'billing clock advance +1mo']).action(
    (to: string, _flags, command: Command) => advanceClock(terminal, to, command.optsWithGlobals()),
  );
  add(clock, 'stop', ['stop an advance', 'billing clock stop']).action((_flags, command: Command) =>
    stopClock(terminal, command.optsWithGlobals()),
  );
}

function addRest(program: Command, terminal: Terminal): void {
  add(program, 'api <method> <path>', ['send one request', 'billing api GET /v1/customers'])
    .option('--data <json>', 'body: JSON, @FILE, or - for the standard input')
    .option('--header <header...>', 'Name: value')
    .action((method: string, path: string, _flags, command: Command) =>
      callApi(terminal, [method, path], command.optsWithGlobals<ApiFlags>()),
    );
  add(program, 'listen', [
    'print events as they happen, and forward them',
    'billing listen --forward-to http://127.0.0.1:8080/webhooks',
  ])
    .option('--forward-to <url>', 'post each event there')
    .option('--events <types>', 'only these types, separated by commas')
    .option('--after <cursor>', 'begin after an earlier event')
    .action((_flags, command: Command) => listen(terminal, command.optsWithGlobals()));
  add(program, 'export <resource>', [
    'write all objects of a resource to the standard output',
    'billing export invoices --format csv --from 2026-01-01T00:00:00Z > invoices.csv',
  ])
    .option('--format <format>', 'ndjson or csv', 'ndjson')
    .option('--from <time>', 'created at this time or later')
    .option('--to <time>', 'created before this time')
    .action((resource: string, _flags, command: Command) =>
      exportResource(terminal, resource, command.optsWithGlobals()),
    );
  add(program, 'trigger <kind>', [
    'make an event happen in a sandbox',
    'billing trigger subscription.renewed',
  ]).action((kind: string, _flags, command: Command) =>
    trigger(terminal, kind, command.optsWithGlobals()),
  );
  add(program, 'doctor', ['check what an integration depends on', 'billing doctor']).action(
    (_flags, command: Command) => examine(terminal, command.optsWithGlobals()),
  );
  add(program, 'mcp', ['serve tools to an agent over stdio', 'billing mcp --read-only'])
    .option('--read-only', 'without the tools that change a sandbox')
    .action(async (_flags, command: Command) => {
      // Its libraries are not loaded for other commands.
      const { serveAgents } = await import('./command/mcp.js');
      await serveAgents(terminal, command.optsWithGlobals<McpFlags>());
    });
  add(program, 'completion <shell>', [
    'print completions for bash, zsh or fish',
    'source <(billing completion bash)',
  ]).action((shell: string) => {
    completion(terminal, shell, program);
  });
}
