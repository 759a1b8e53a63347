import { createServer, type AddressInfo, type Socket } from 'node:net';

/** A mail server that accepts every mail. */
export interface TestMailServer {
  /** Contents of the mails to an address, with decoded text. */
  contentsTo(address: string): string[];
  /** Settings of a system that sends to it. */
  readonly settings: Record<string, string>;
  close(): Promise<void>;
}

/** A step of one connection. CONTENT comes once the content has its Message-ID. */
export interface MailServerStep {
  readonly kind: 'OPEN' | 'DATA' | 'CONTENT' | 'CLOSE';
  /** Number of the connection. */
  readonly session: number;
  /** Recipient; empty before there is one. */
  readonly to: string;
  /** Only in CONTENT. */
  readonly messageId?: string;
}

interface Behaviour {
  /** Called at each step. */
  readonly observe?: (step: MailServerStep) => void;
  /** Delay of the answer to a content; absent: none. */
  readonly answerAfterMs?: number;
}

export async function startMailServer(behaviour: Behaviour = {}): Promise<TestMailServer> {
  const received: { readonly to: string; readonly content: string }[] = [];
  const sockets = new Set<Socket>();
  let sessions = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    sessions += 1;
    receive(socket, { ...behaviour, session: sessions, onMail: (mail) => received.push(mail) });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    contentsTo: (address) =>
      received.filter(({ to }) => to === address).map(({ content }) => content),
    settings: {
      SMTP_URL: `smtp://127.0.0.1:${String(port)}`,
      SMTP_TLS: 'none',
      MAIL_FROM: 'billing@acme.example',
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Speaks SMTP with one client. */
function receive(
  socket: Socket,
  {
    session,
    onMail,
    observe = () => undefined,
    answerAfterMs = 0,
  }: Behaviour & {
    readonly session: number;
    readonly onMail: (mail: { readonly to: string; readonly content: string }) => void;
  },
): void {
  let buffered = '';
  let to = '';
  let isContent = false;
  let isNamed = false;
  const say = (line: string) => {
    if (!socket.destroyed) socket.write(`${line}\r\n`);
  };
  const close = once(() => {
    observe({ kind: 'CLOSE', session, to });
  });
  const name = () => {
    const messageId = /^Message-ID: (\S+)\r$/m.exec(buffered)?.[1];
    if (isNamed || messageId === undefined) return;
    isNamed = true;
    observe({ kind: 'CONTENT', session, to, messageId });
  };
  socket.once('close', close);
  observe({ kind: 'OPEN', session, to });
  say('220 test');
  const takeLine = (line: string) => {
    if (/^(EHLO|HELO|MAIL|RSET|NOOP)/i.test(line)) say('250 OK');
    else if (/^RCPT TO:<(.*)>/i.test(line)) {
      to = /<(.*)>/.exec(line)?.[1] ?? '';
      say('250 OK');
    } else if (/^DATA/i.test(line)) {
      [isContent, isNamed] = [true, false];
      observe({ kind: 'DATA', session, to });
      say('354 Go ahead');
    } else if (/^QUIT/i.test(line)) {
      close();
      socket.end('221 Bye\r\n');
    } else say('500 Unknown');
  };
  socket.on('data', (chunk) => {
    buffered += chunk.toString('utf8');
    for (;;) {
      if (isContent) name();
      const end = buffered.indexOf(isContent ? '\r\n.\r\n' : '\r\n');
      if (end < 0) return;
      const part = buffered.slice(0, end);
      buffered = buffered.slice(end + (isContent ? 5 : 2));
      if (isContent) {
        isContent = false;
        onMail({ to, content: decoded(part) });
        setTimeout(say, answerAfterMs, '250 Accepted');
      } else takeLine(part);
    }
  });
}

/** Runs an action at the first call. */
function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}

/** Quoted-printable as text, enough for links. */
function decoded(content: string): string {
  return content.replaceAll('=\r\n', '').replaceAll('=3D', '=');
}
