import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomSecret } from '@billing/chassis/ids';
import { eventually } from '@billing/chassis/testing';
import type { TransportSecurity } from '@billing/chassis/transport-security';
import { readLauncherEnvironment } from '@billing/local/config';
import { freePort } from '@billing/chassis/listen-address';
import { findNatsServer } from '@billing/local/nats-server';

/** A NATS server that requires TLS and has one user per service. */
export interface SecuredNats {
  readonly port: number;
  /** The URL with the service's user and password. */
  urlOf(service: string): string;
  stop(): Promise<void>;
}

// The operations of every publisher on the stream itself, whichever its name.
const ofStream = ['INFO', 'CREATE', 'UPDATE'].map((verb) => `$JS.API.STREAM.${verb}.*`);
const ofConsumer = ['$JS.API.CONSUMER.>', '$JS.ACK.>'];

/** Returns undefined where no server program is available. */
export async function startSecuredNats(
  services: readonly string[],
  { certificate, key }: TransportSecurity,
): Promise<SecuredNats | undefined> {
  const command = await findNatsServer(readLauncherEnvironment(), () => undefined);
  if (command === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'billing-n-'));
  const port = await freePort();
  const passwords = new Map(services.map((name) => [name, randomSecret(12).toString('hex')]));
  await writeFile(join(folder, 'tls.crt'), certificate);
  await writeFile(join(folder, 'tls.key'), key);
  await writeFile(join(folder, 'nats.conf'), configuration({ folder, port, passwords }));
  const server = spawn(command, ['-c', join(folder, 'nats.conf')], { stdio: 'ignore' });
  await eventually(() => reaches(port));
  return {
    port,
    urlOf: (service) =>
      `nats://${service}:${passwords.get(service) ?? ''}@127.0.0.1:${String(port)}`,
    stop: () => stop(server, folder),
  };
}

function configuration({
  folder,
  port,
  passwords,
}: {
  folder: string;
  port: number;
  passwords: ReadonlyMap<string, string>;
}): string {
  const users = [...passwords].map(([user, password]) => {
    const publish = [`*.${user}.>`, ...ofStream, ...(user === 'notifier' ? ofConsumer : [])];
    return { user, password, permissions: { publish, subscribe: ['_INBOX.>'] } };
  });
  const path = (name: string) => join(folder, name);
  // The format of the server's configuration accepts JSON.
  return JSON.stringify({
    listen: `127.0.0.1:${String(port)}`,
    jetstream: { store_dir: path('data') },
    tls: { cert_file: path('tls.crt'), key_file: path('tls.key') },
    authorization: { users },
  });
}

async function reaches(port: number): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port });
  try {
    await once(socket, 'data');
  } finally {
    socket.destroy();
  }
}

async function stop(server: ChildProcess, folder: string): Promise<void> {
  if (server.exitCode === null) {
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
  }
  await rm(folder, { recursive: true, force: true });
}
