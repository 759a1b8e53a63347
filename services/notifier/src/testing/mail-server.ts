import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { NotifierConfiguration } from '../config';

/** Behaviour of the server at one step; `undefined`: it accepts. */
interface Answers {
  rcpt: (address: string) => { code: number; text: string } | undefined;
  /** Called when the content is there; RESET closes the connection without an answer. */
  data: (content: string) => { code: number; text: string } | 'RESET' | undefined;
}

/** A real SMTP server that records the contents it gets. */
export interface MailServerForTests {
  readonly received: { readonly to: string; readonly from: string; readonly content: string }[];
  /** Number of connections so far. */
  connections: number;
  answers: Partial<Answers>;
  /** Configuration of a notifier that sends to it. */
  readonly configuration: Partial<NotifierConfiguration>;
  close(): Promise<void>;
}

export async function startMailServer(
  options: Pick<SMTPServerOptions, 'authOptional' | 'onAuth'> = { authOptional: true },
): Promise<MailServerForTests> {
  const refusal = ({ code, text }: { code: number; text: string }) =>
    Object.assign(new Error(text), { responseCode: code });
  const server = new SMTPServer({
    ...options,
    disabledCommands: options.onAuth === undefined ? ['AUTH', 'STARTTLS'] : ['STARTTLS'],
    allowInsecureAuth: true,
    onConnect: (_session, done) => {
      mail.connections += 1;
      done();
    },
    onRcptTo: ({ address }, _session, done) => {
      const answer = mail.answers.rcpt?.(address);
      done(answer && refusal(answer));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const content = Buffer.concat(chunks).toString('utf8');
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        mail.received.push({ to: rcptTo[0]?.address ?? '', from, content });
        const answer = mail.answers.data?.(content);
        if (answer === 'RESET') {
          for (const socket of sockets) socket.resetAndDestroy();
          return;
        }
        done(answer && refusal(answer));
      });
    },
  });
  server.on('error', () => undefined);
  const sockets = new Set<Socket>();
  server.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.server.address() as AddressInfo;
  const host = '127.0.0.1';
  const mail: MailServerForTests = {
    received: [],
    connections: 0,
    answers: {},
    configuration: {
      SMTP_URL: { host, port, isSecure: false, credentials: undefined },
      SMTP_TLS: 'none',
      MAIL_FROM: 'billing@acme.example',
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
      }),
  };
  return mail;
}
