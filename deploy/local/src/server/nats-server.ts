import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type Account, makePrivateFolder } from '../files/account';
import { findProgram, runCommand } from '../process/command';
import type { LauncherEnvironment } from '../environment/launcher-environment';
import { installDebianPackages } from '../install/debian-packages';
import { installGoProgram } from '../install/go-program';
import type { Program } from '../process/supervised-process';

const GREETING_WITHIN_MS = 1_000;
const VERSION_TIMEOUT_MS = 5_000;
/** First version that supports `sync_interval` in the configuration file. */
const VERSION_MIN = [2, 10] as const;

export async function installNatsFromDebian(
  environment: LauncherEnvironment,
  log: (line: string) => void,
): Promise<string> {
  const root = await installDebianPackages({ packages: ['nats-server'], environment, log });
  return join(root, 'usr/sbin/nats-server');
}

export async function installNatsFromGo(
  environment: LauncherEnvironment,
  log: (line: string) => void,
): Promise<string> {
  const program = { name: 'nats-server', version: 'v2.15.1' };
  const module = 'github.com/nats-io/nats-server/v2';
  return await installGoProgram({ ...program, module }, environment, log);
}

/**
 * Program for tests that start servers with settings of their own; undefined if it is available in
 * a container only.
 */
export async function findNatsServer(
  environment: LauncherEnvironment,
  log: (line: string) => void,
): Promise<string | undefined> {
  const ways = [
    () => findProgram('nats-server', environment.path),
    () => installNatsFromDebian(environment, log),
    () => installNatsFromGo(environment, log),
  ];
  for (const way of ways) {
    try {
      const command = await way();
      if (command !== undefined) return command;
    } catch (error) {
      log(`nats-server: ${String(error)}`);
    }
  }
  return undefined;
}

/** Rejects a program that is too old for the configuration below. */
export async function requireUsableNats(command: string): Promise<string> {
  const env = { PATH: '/usr/bin:/bin' };
  const answer = await runCommand({
    program: command,
    args: ['--version'],
    env,
    timeoutMs: VERSION_TIMEOUT_MS,
  });
  const [, version, major, minor] = /v?((\d+)\.(\d+)\S*)/.exec(answer) ?? [];
  const isOldMinor = Number(major) === VERSION_MIN[0] && Number(minor) < VERSION_MIN[1];
  if (version === undefined || Number(major) < VERSION_MIN[0] || isOldMinor) {
    throw new Error(`${command} is ${answer.trim()}; ${VERSION_MIN.join('.')} or later is needed`);
  }
  return version;
}

export interface NatsOptions {
  command: string;
  dataDir: string;
  /** Folder of the configuration file. */
  runDir: string;
  port: number;
  /** Hexadecimal token that clients need. */
  token: string;
  logFile: string;
  account: Account | undefined;
}

/**
 * Messages of the stream are synced to disk within this time. The event logs are the durable copy,
 * not the stream.
 */
const SYNC_INTERVAL = '2s';

function configuration({ dataDir, port, token }: NatsOptions): string {
  return [
    `listen: "127.0.0.1:${String(port)}"`,
    // Other users of the machine can reach the port: without a token they could publish events,
    // which become signed webhooks.
    `authorization { token: "${token}" }`,
    `jetstream { store_dir: ${JSON.stringify(dataDir)}, sync_interval: "${SYNC_INTERVAL}" }`,
    '',
  ].join('\n');
}

export async function prepareNats(options: NatsOptions): Promise<Program> {
  const { command, dataDir, runDir, port, logFile, account } = options;
  const file = join(runDir, 'nats.conf');
  await writeFile(file, configuration(options), { mode: 0o644 });
  return {
    name: 'nats-server',
    command,
    args: ['-c', file],
    env: { PATH: '/usr/bin:/bin', HOME: runDir, TZ: 'UTC' },
    cwd: '/',
    account,
    logFile,
    // Before every start: the stream may be wiped at any time, and the server cannot create a
    // folder below foreign parents.
    beforeStart: () => makePrivateFolder(dataDir, account),
    stopSignal: 'SIGTERM',
    isReady: async () => await greetsWithJetStream(port),
  };
}

/** Checks readiness: the server sends one INFO line of JSON first. */
export async function greetsWithJetStream(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    let greeting = '';
    const answer = (isReady: boolean): void => {
      socket.destroy();
      resolve(isReady);
    };
    socket.setEncoding('utf8').setTimeout(GREETING_WITHIN_MS);
    socket.on('data', (chunk: string) => {
      greeting += chunk;
      if (greeting.includes('\r\n')) answer(/^INFO .*"jetstream":\s*true/.test(greeting));
    });
    for (const event of ['error', 'timeout', 'close'])
      socket.on(event, () => {
        answer(false);
      });
  });
}
