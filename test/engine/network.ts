import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readlinkSync } from 'node:fs';
import { connect, createServer, type ListenOptions, type Server, type Socket } from 'node:net';
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

  /** Serves a port of the network's 127.0.0.1 on a port of this machine's, by default the same. */
  async publish(port: number, at = port): Promise<void> {
    const target = () => this.connect('127.0.0.1', port);
    await this.#serve(target, { host: '127.0.0.1', port: at });
  }

  /** Lets an address of the network lead to a port of this machine's 127.0.0.1. */
  async lead(host: string, port: number, to: number): Promise<void> {
    const path = join(this.#folder, `in-${String(port)}.sock`);
    await this.#serve(() => connect({ host: '127.0.0.1', port: to }), { path });
    await this.#relay('in', host, String(port), path);
  }

  /** Runs a program of the engine's Debian in the network; returns its standard output. */
  run(program: string, args: readonly string[]): string {
    const entry = ['--target', String(this.#pid), '--mount', '--net'];
    return execFileSync('nsenter', [...entry, program, ...args], { encoding: 'utf8' });
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

  async #serve(target: () => Socket, at: ListenOptions): Promise<void> {
    const server = createServer((client) => {
      const pair = [client, target()] as const;
      for (const socket of pair) {
        this.#sockets.add(socket);
        const end = () => {
          for (const one of pair) one.destroy();
        };
        socket.on('error', end).on('close', () => {
          end();
          this.#sockets.delete(socket);
        });
      }
      client.pipe(pair[1]).pipe(client);
    });
    this.#servers.push(server);
    server.listen(at);
    await once(server, 'listening');
  }

  async #relay(...args: readonly string[]): Promise<void> {
    const command = ['--target', String(this.#pid), '--net', process.execPath, relay, ...args];
    const child = spawn('nsenter', command, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#relays.push(child);
    const ended = once(child, 'exit').then(() => {
      throw new Error(`The relay ${args.join(' ')} ended`);
    });
    ended.catch(() => undefined);
    await Promise.race([once(child.stdout, 'data'), ended]);
  }
}
