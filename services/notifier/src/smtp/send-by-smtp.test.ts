import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createTestAuthority } from '@billing/chassis/testing/network';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { sendBySmtp, type SmtpSettings } from './send-by-smtp';

const message = {
  from: 'billing@acme.example',
  to: 'ada@example.com',
  bytes: Buffer.from('Subject: Hello\r\n\r\nHello\r\n'),
};

describe('a message', () => {
  let received: string[];
  const open: { close(): Promise<void> }[] = [];

  beforeEach(() => {
    received = [];
  });

  afterEach(async () => {
    await Promise.all(open.splice(0).map((server) => server.close()));
  });

  async function startServer(options: SMTPServerOptions = {}): Promise<number> {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData: (stream, _session, done) => {
        stream.on('data', (chunk: Buffer) => received.push(chunk.toString()));
        stream.on('end', () => {
          done();
        });
      },
      ...options,
    });
    server.on('error', () => undefined);
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    open.push({
      close: () =>
        new Promise((resolve) => {
          server.close(() => {
            resolve();
          });
        }),
    });
    return (server.server.address() as AddressInfo).port;
  }

  function settingsOf(
    port: number,
    {
      requiresTls = false,
      user,
      timeoutMs = 30_000,
    }: { requiresTls?: boolean; user?: string; timeoutMs?: number } = {},
  ): SmtpSettings {
    const credentials = user === undefined ? undefined : { user, password: 'secret' };
    const server = { host: '127.0.0.1', port, isSecure: false, credentials };
    return { server, requiresTls, authority: undefined, timeoutMs };
  }

  const send = (settings: SmtpSettings, beforeContent = () => Promise.resolve()) =>
    sendBySmtp(message, { settings, beforeContent, signal: new AbortController().signal });

  test('is given to the server after its sender has logged in', async () => {
    const users: string[] = [];
    const port = await startServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username = '', password }, _session, done) => {
        users.push(username);
        if (password === 'secret') done(null, { user: username });
        else done(new Error('Wrong password'));
      },
    });
    expect(await send(settingsOf(port, { user: 'acme' }))).toEqual({ kind: 'ACCEPTED' });
    expect(users).toEqual(['acme']);
    expect(received.join('')).toContain('Subject: Hello');
  });

  test('is marked after the server has asked for its content, and before the first byte', async () => {
    const steps: string[] = [];
    const port = await startServer({
      onRcptTo: (_address, _session, done) => {
        steps.push('recipient');
        done();
      },
      onData: (stream, _session, done) => {
        stream.on('data', () => steps.push('content'));
        stream.on('end', () => {
          done();
        });
      },
    });
    await send(settingsOf(port), async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      steps.push('mark');
    });
    expect(steps).toEqual(['recipient', 'mark', 'content']);
  });

  test('sends no byte if the mark cannot be stored, and reports the failure', async () => {
    const lost = new Error('Claim lost');
    const port = await startServer();
    await expect(send(settingsOf(port), () => Promise.reject(lost))).rejects.toBe(lost);
    expect(received).toEqual([]);
  });

  test('is never given to a server without TLS where TLS is required', async () => {
    const port = await startServer();
    expect(await send(settingsOf(port, { requiresTls: true }))).toEqual({
      kind: 'NO_ANSWER',
      reason: 'tls_failed',
      isServerReached: false,
    });
    expect(received).toEqual([]);
  });

  test('is never given to a server whose certificate is not trusted', async () => {
    // The server warns of its own certificate, which nothing trusts.
    const warning = jest.spyOn(console, 'error').mockReturnValue();
    const port = await startServer({ disabledCommands: [] });
    warning.mockRestore();
    expect(await send(settingsOf(port, { requiresTls: true }))).toEqual({
      kind: 'NO_ANSWER',
      reason: 'tls_failed',
      isServerReached: false,
    });
    expect(received).toEqual([]);
  });

  test.each([
    ['of its name', 'IP:127.0.0.1', { kind: 'ACCEPTED' }],
    [
      'of another name',
      'DNS:mail.other.example',
      { kind: 'NO_ANSWER', reason: 'tls_failed', isServerReached: false },
    ],
  ])(
    'is given to a server by TLS if its certificate is trusted: one %s',
    async (_, name, outcome) => {
      const { certificate, key, authority } = createTestAuthority().issue(name);
      const port = await startServer({
        secure: true,
        cert: certificate,
        key: key,
      });
      const { server, ...settings } = settingsOf(port, { requiresTls: true });
      const secured = { ...settings, server: { ...server, isSecure: true } };
      expect(await send({ ...secured, authority: authority })).toEqual(outcome);
      expect(received.length > 0).toBe(outcome.kind === 'ACCEPTED');
    },
  );

  test('is not waited for longer than the limit by a server that is silent', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    open.push({
      close: () =>
        new Promise((resolve) => {
          for (const socket of sockets) socket.destroy();
          silent.close(() => {
            resolve();
          });
        }),
    });
    const { port } = silent.address() as AddressInfo;
    expect(await send(settingsOf(port, { timeoutMs: 1_000 }))).toEqual({
      kind: 'NO_ANSWER',
      reason: 'connection_failed',
      isServerReached: false,
    });
  });
});
