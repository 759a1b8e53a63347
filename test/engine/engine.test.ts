import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { connectStream } from '@billing/chassis/jet-stream';
import { createLogger } from '@billing/chassis/logging';
import { prepareNatsContainer } from '@billing/local/containers';
import { buildNats } from './base-images';
import { type Engine, startEngine } from './engine';
import { describeWithEngine } from './engine-tests';
import { ServerContainer } from './server-container';

const logger = createLogger({ service: 'test', level: 'silent' });
const launchersImage = 'nats:2.12-alpine';

/** Processes of a network. */
function processesIn(network: string): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/ns/net`) === network;
    } catch {
      // The process has ended.
      return false;
    }
  });
}

const interfaces = () => Object.keys(networkInterfaces()).sort();

describeWithEngine('an engine of its own', () => {
  const before = interfaces();
  let folder: string;
  let engine: Engine;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'billing-e-'));
    engine = await startEngine(folder);
    const stage = join(folder, 'nats');
    await mkdir(stage);
    await buildNats(engine, [launchersImage], stage);
  });

  afterAll(async () => {
    await engine.stop();
    rmSync(folder, { recursive: true });
  });

  /** The first lines that NATS answers to a client. */
  async function answerTo(port: number, connect: object): Promise<string> {
    const socket = engine.network.connect('127.0.0.1', port).setEncoding('utf8');
    socket.write(`CONNECT ${JSON.stringify({ verbose: false, ...connect })}\r\nPING\r\n`);
    let answer = '';
    while (!/^(PONG|-ERR.*)\r$/m.test(answer)) answer += String((await once(socket, 'data'))[0]);
    socket.destroy();
    return answer;
  }

  const eventsOf = async (url: string) => {
    const stream = await connectStream({ url, streamName: 'EVENTS', service: 'test', logger });
    return { stream, close: () => stream.close() };
  };

  test('the NATS of the launcher refuses clients without the token, and is on 127.0.0.1 alone', async () => {
    const nats = await ServerContainer.start(prepareNatsContainer, engine, folder);
    const { port } = nats;
    const { username: token } = new URL(nats.uri);
    expect(await answerTo(port, {})).toContain("-ERR 'Authorization Violation'");
    expect(await answerTo(port, { auth_token: 'another' })).toContain('Authorization Violation');
    expect(await answerTo(port, { auth_token: token })).toContain('PONG');
    expect(engine.network.listening()).toEqual([`127.0.0.1:${String(port)}`]);
    expect(await nats.end('SIGTERM')).toBe(0);
    expect(await engine.docker(['ps', '--all', '--quiet'])).toBe('');
  });

  test('its events survive a killed container and a killed launcher, in a volume with its name', async () => {
    let nats = await ServerContainer.start(prepareNatsContainer, engine, folder);
    const { stream, close } = await eventsOf(nats.uri);
    await stream.publish({ subject: 'first', id: '1', data: '{}' });
    await close();
    const [mount] = JSON.parse(
      await engine.docker(['inspect', '--format', '{{json .Mounts}}', nats.name]),
    ) as { Type: string; Name: string; Destination: string }[];
    expect(mount).toMatchObject({ Type: 'volume', Name: nats.name, Destination: '/data' });
    expect(await nats.killContainer()).toBe(1);
    nats = await ServerContainer.start(prepareNatsContainer, engine, folder);
    await nats.end('SIGKILL');
    nats = await ServerContainer.start(prepareNatsContainer, engine, folder);
    const names = await engine.docker(['ps', '--all', '--format', '{{.Names}}']);
    expect(names.trim()).toBe(nats.name);
    const again = await eventsOf(nats.uri);
    expect(await again.stream.purge()).toBe(1);
    await again.close();
    await nats.end('SIGTERM');
  });

  test('a stopped engine leaves no process, mount, network or control group', async () => {
    const network = engine.network.id;
    expect(processesIn(network).length).toBeGreaterThan(2);
    expect(engine.controlGroups()).not.toEqual([]);
    await engine.stop();
    expect(processesIn(network)).toEqual([]);
    expect(await readFile('/proc/self/mountinfo', 'utf8')).not.toContain(folder);
    expect(interfaces()).toEqual(before);
    expect(engine.controlGroups()).toEqual([]);
  });
});
