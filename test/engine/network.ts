import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { readlinkSync } from 'node:fs';
import { join } from 'node:path';

const relay = require.resolve('./relay.mjs');

/** The network of an engine, which shares no interface with that of the machine. */
export class EngineNetwork {
  readonly #pid: number;
  readonly #folder: string;
  readonly #relays: ChildProcess[] = [];
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();

  private constructor(pid: number, folder: string) {
    this.#pid = pid;
    this.#folder = folder;
  }

  /** `pid` is a process in the network; `folder` gets sockets. */
  static async open(pid: number, folder: string): Promise<EngineNetwork> {
    const network = new EngineNetwork(pid, folder);
    await network.#relay('out', network.#outSocket);
    return network;
  }

  /** Name of the network in /proc. */
  get id(): string {
    return readlinkSync(`/proc/${String(this.#pid)}/ns/net`);
  }

  get #outSocket(): string {
    return join(this.#folder, 'out.sock');
  }

  /** Connects to an address of the network. */
  connect(host: string, port: number): Socket {
    const socket = connect({ path: this.#outSocket });
    socket.write(`${host} ${String(port)}\n`);
    return socket;
  }

  /** Serves a port of the network's 127.0.0.1 on the same port of this machine's 127.0.0.1. */
  async publish(port: number): Promise<void> {
    const server = createServer((client) => {
      const target = this.connect('127.0.0.1', port);
      const end = () => {
        client.destroy();
        target.destroy();
      };
      for (const socket of [client, target]) {
        this.#sockets.add(socket);
        socket.on('error', end).on('close', () => {
          end();
          this.#sockets.delete(socket);
        });
      }
      client.pipe(target).pipe(client);
    });
    this.#servers.push(server);
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  }

  /** Lets an address of the network lead to a Unix socket of this machine. */
  async lead(host: string, port: number, socket: string): Promise<void> {
    await this.#relay('in', host, String(port), socket);
  }

  /** Runs a program in the network; returns its standard output. */
  run(program: string, args: readonly string[]): string {
    return execFileSync('nsenter', [...this.#entry, program, ...args], { encoding: 'utf8' });
  }

  /** Addresses that accept TCP connections. */
  listening(): string[] {
    const lines = this.run('ss', ['--listening', '--tcp', '--numeric', '--no-header']).split('\n');
    return lines.filter((line) => line !== '').map((line) => line.split(/\s+/)[3] ?? '');
  }

  async close(): Promise<void> {
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
    for (const child of this.#relays) {
      const ended = once(child, 'exit');
      if (child.kill('SIGKILL')) await ended;
    }
  }

  get #entry(): string[] {
    return ['--target', String(this.#pid), '--net'];
  }

  async #relay(...args: readonly string[]): Promise<void> {
    const command = [...this.#entry, process.execPath, relay, ...args];
    const child = spawn('nsenter', command, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#relays.push(child);
    const ended = once(child, 'exit').then(() => {
      throw new Error(`The relay ${args.join(' ')} ended`);
    });
    ended.catch(() => undefined);
    await Promise.race([once(child.stdout, 'data'), ended]);
  }
}
