import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import express from 'express';
import { sleep } from '@billing/chassis/clock';
import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import { eventually } from '@billing/chassis/testing';
import { StreamedBody, type StreamedBodyOptions } from './streamed-body';

let server: Server;
let sent: Promise<unknown>;
let body: StreamedBodyOptions;

beforeAll(async () => {
  const app = express();
  app.get('/', (_request, response) => {
    const streamed = new StreamedBody(body);
    sent = streamed.send(response, { status: 200, headers: { 'Content-Type': 'text/plain' } });
    sent.catch(() => undefined);
  });
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

interface Received {
  readonly response: IncomingMessage;
  readonly text: string;
}

function receive(method = 'GET'): Promise<Received> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method, agent: false };
    const request = get(options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('error', () => undefined);
      response.on('close', () => {
        resolve({ response, text });
      });
    });
    request.on('error', reject);
  });
}

const written = { trailers: ['Export-Rows'], timeoutMs: 60_000 };

describe('a streamed body', () => {
  test('ends with the trailers that it has announced', async () => {
    body = {
      ...written,
      write: async (sink) => {
        await sink(Buffer.from('a'));
        await sink(Buffer.from('b'));
        return { 'Export-Rows': '2' };
      },
    };
    const { response, text } = await receive();
    expect(text).toBe('ab');
    expect(response.headers).toMatchObject({
      trailer: 'Export-Rows',
      'content-type': 'text/plain',
    });
    expect(response.trailers).toEqual({ 'export-rows': '2' });
    expect(response.complete).toBe(true);
    await sent;
  });

  test('that fails breaks the connection and has no trailers', async () => {
    body = {
      ...written,
      write: async (sink) => {
        await sink(Buffer.from('a'));
        throw new Error('No further rows');
      },
    };
    const { response } = await receive();
    expect(response.complete).toBe(false);
    expect(response.trailers).toEqual({});
    await expect(sent).rejects.toThrow('No further rows');
  });

  test('that lasts too long breaks the connection', async () => {
    body = {
      trailers: [],
      timeoutMs: 50,
      write: async (sink, signal) => {
        await sink(Buffer.from('a'));
        await sleep(60_000, signal);
        signal.throwIfAborted();
        return {};
      },
    };
    const { response } = await receive();
    expect(response.complete).toBe(false);
    await expect(sent).rejects.toBeInstanceOf(DeadlineExceededError);
  });

  test('waits for a slow reader and ends when the reader leaves', async () => {
    let chunks = 0;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    body = {
      ...written,
      write: async (sink) => {
        resolve(undefined);
        for (;;) {
          await sink(Buffer.alloc(64 * 1024));
          chunks += 1;
        }
      },
    };
    const { port } = server.address() as AddressInfo;
    const request = get({ host: '127.0.0.1', port, agent: false });
    request.on('response', (response) => response.pause());
    request.on('error', () => undefined);
    await promise;
    // Far fewer than a reader that reads would get.
    await eventually(async () => {
      const before = chunks;
      await sleep(200);
      expect(chunks).toBe(before);
    });
    request.destroy();
    await expect(sent).resolves.toBeUndefined();
  });

  test('disconnects a caller who reads nothing', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    body = {
      ...written,
      stalledAfterMs: 50,
      write: async (sink) => {
        resolve(undefined);
        for (;;) await sink(Buffer.alloc(64 * 1024));
      },
    };
    const { port } = server.address() as AddressInfo;
    const request = get({ host: '127.0.0.1', port, agent: false });
    request.on('response', (response) => response.pause());
    request.on('error', () => undefined);
    await promise;
    await expect(sent).resolves.toBeUndefined();
    request.destroy();
  });

  test('has no trailers for a caller of HTTP/1.0', async () => {
    body = {
      ...written,
      write: async (sink) => {
        await sink(Buffer.from('ab'));
        return { 'Export-Rows': '1' };
      },
    };
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    socket.write('GET / HTTP/1.0\r\n\r\n');
    const received: string = (await socket.toArray()).join('');
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(received).toMatch(/\r\n\r\nab$/);
    expect(received).not.toContain('Export-Rows');
    await sent;
  });

  test('has no content in the answer to HEAD', async () => {
    body = { ...written, write: () => Promise.reject(new Error('Not asked for')) };
    const { response, text } = await receive('HEAD');
    expect(text).toBe('');
    expect(response.complete).toBe(true);
    await sent;
  });
});
