import { createServer, type AddressInfo, type Socket } from 'node:net';

/** A mail server that accepts every mail. */
export interface TestMailServer {
  /** Contents of the mails to an address, with decoded text. */
  contentsTo(address: string): string[];
  /** Settings of a system that sends to it. */
  readonly settings: Record<string, string>;
  close(): Promise<void>;
}

export async function startMailServer(): Promise<TestMailServer> {
  const received: { readonly to: string; readonly content: string }[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    receive(socket, (mail) => received.push(mail));
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
  onMail: (mail: { readonly to: string; readonly content: string }) => void,
): void {
  let buffered = '';
  let to = '';
  let isContent = false;
  const say = (line: string) => socket.write(`${line}\r\n`);
  say('220 test');
  const takeLine = (line: string) => {
    if (/^(EHLO|HELO|MAIL|RSET|NOOP)/i.test(line)) say('250 OK');
    else if (/^RCPT TO:<(.*)>/i.test(line)) {
      to = /<(.*)>/.exec(line)?.[1] ?? '';
      say('250 OK');
    } else if (/^DATA/i.test(line)) {
      isContent = true;
      say('354 Go ahead');
    } else if (/^QUIT/i.test(line)) socket.end('221 Bye\r\n');
    else say('500 Unknown');
  };
  socket.on('data', (chunk) => {
    buffered += chunk.toString('utf8');
    for (;;) {
      const end = buffered.indexOf(isContent ? '\r\n.\r\n' : '\r\n');
      if (end < 0) return;
      const part = buffered.slice(0, end);
      buffered = buffered.slice(end + (isContent ? 5 : 2));
      if (isContent) {
        isContent = false;
        onMail({ to, content: decoded(part) });
        say('250 Accepted');
      } else takeLine(part);
    }
  });
}

/** Quoted-printable as text, enough for links. */
function decoded(content: string): string {
  return content.replaceAll('=\r\n', '').replaceAll('=3D', '=');
}
