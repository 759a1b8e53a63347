import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { sendBySmtp } from './send-by-smtp';

// A server that answers each step as its script says, on a real socket.

type Step = 'GREETING' | 'EHLO' | 'MAIL' | 'RCPT' | 'DATA' | 'CONTENT' | 'DOT';
/** A line, or SILENT, RESET, or DRIPS: one byte at a time, never a whole line. */
type Answer = string;

const usual: Readonly<Record<Step, Answer | undefined>> = {
  GREETING: '220 mx.example ESMTP',
  EHLO: '250 mx.example',
  MAIL: '250 2.1.0 Ok',
  RCPT: '250 2.1.5 Ok',
  DATA: '354 Go on',
  CONTENT: undefined,
  DOT: '250 2.0.0 Queued',
};

const message = {
  from: 'billing@acme.example',
  to: 'ada@example.com',
  bytes: Buffer.from('Subject: Hello\r\n\r\nHello\r\n'),
};
const noAnswer = { kind: 'NO_ANSWER', reason: 'connection_failed' };
// Drops within the limit of a step, which they never complete.
const dripMs = 50;

const stepOf = (line: string): Step | undefined =>
  (['EHLO', 'MAIL', 'RCPT', 'DATA'] as const).find((name) => line.toUpperCase().startsWith(name));

function startServer(script: Partial<Record<Step, Answer>>): {
  server: Server;
  sockets: Set<Socket>;
} {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    let isContent = false;
    let buffered = '';
    const answer = (step: Step) => {
      const what = { ...usual, ...script }[step];
      if (what === undefined || what === 'SILENT') return;
      if (what === 'RESET') socket.resetAndDestroy();
      else if (what === 'DRIPS') {
        const dripping = setInterval(() => socket.write('2'), dripMs);
        socket.once('close', () => {
          clearInterval(dripping);
        });
      } else socket.write(`${what}\r\n`);
    };
    answer('GREETING');
    socket.on('data', (chunk) => {
      buffered += chunk.toString('latin1');
      if (isContent) answer('CONTENT');
      for (;;) {
        const end = buffered.indexOf('\r\n');
        if (end < 0) return;
        const line = buffered.slice(0, end);
        buffered = buffered.slice(end + 2);
        if (isContent) {
          if (line === '.') answer('DOT');
          continue;
        }
        const step = stepOf(line);
        isContent = step === 'DATA' && !('DATA' in script);
        if (step !== undefined) answer(step);
      }
    });
  });
  return { server, sockets };
}

test.each<[string, Partial<Record<Step, Answer>>, object, number]>([
  ['takes the mail', {}, { kind: 'ACCEPTED' }, 1],
  ['is busy', { GREETING: '421 4.3.2 Busy' }, { kind: 'POSTPONED', reason: 'smtp_421' }, 0],
  ['greylists', { RCPT: '450 4.2.0 Later' }, { kind: 'POSTPONED', reason: 'smtp_450' }, 0],
  ['has no such mailbox', { RCPT: '550 5.1.1 No such user' }, { kind: 'BOUNCED' }, 0],
  ['blocks', { RCPT: '550 5.7.1 Blocked' }, { kind: 'REFUSED', reason: 'smtp_550' }, 0],
  ['wants no content', { DATA: '451 4.7.1 Later' }, { kind: 'POSTPONED', reason: 'smtp_451' }, 0],
  ['is full', { DOT: '552 5.2.2 Full' }, { kind: 'REFUSED', reason: 'smtp_552' }, 1],
  ['refuses content', { DOT: '550 5.7.1 Spam' }, { kind: 'REFUSED', reason: 'smtp_550' }, 1],
  ['shuts down', { DOT: '421 4.3.2 Bye' }, { kind: 'POSTPONED', reason: 'smtp_421' }, 1],
  ['never answers the content', { DOT: 'SILENT' }, { ...noAnswer, isServerReached: false }, 1],
  [
    'announces a smaller limit',
    { EHLO: '250-mx.example\r\n250 SIZE 10' },
    { kind: 'REFUSED', reason: 'smtp_552' },
    0,
  ],
  ['resets at the end of the content', { DOT: 'RESET' }, { kind: 'NO_ANSWER' }, 1],
  ['resets in the content', { CONTENT: 'RESET' }, { kind: 'NO_ANSWER' }, 1],
  ['resets before the content', { RCPT: 'RESET' }, { ...noAnswer, isServerReached: true }, 0],
  ['never greets', { GREETING: 'SILENT' }, { ...noAnswer, isServerReached: false }, 0],
  ['never answers a step', { MAIL: 'SILENT' }, { ...noAnswer, isServerReached: true }, 0],
  ['drips its greeting', { GREETING: 'DRIPS' }, { kind: 'NO_ANSWER' }, 0],
  ['drips its last answer', { DOT: 'DRIPS' }, { kind: 'NO_ANSWER' }, 1],
])('a server that %s ends the attempt, which is marked before its content', async (...row) => {
  const [, script, outcome, marksExpected] = row;
  const { server, sockets } = startServer(script);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  // Only scripts that wait for the limit need a short one, which the steps before must not reach.
  const isSlow = Object.values(script).some((answer) => ['SILENT', 'DRIPS'].includes(answer));
  const limitMs = marksExpected === 0 ? 1_000 : 2_000;
  const timeoutMs = isSlow ? limitMs : 60_000;
  let marks = 0;
  const result = await sendBySmtp(message, {
    settings: {
      server: { host: '127.0.0.1', port, isSecure: false, credentials: undefined },
      ...{ requiresTls: false, authority: undefined, timeoutMs },
    },
    beforeContent: async () => {
      marks += 1;
    },
    signal: new AbortController().signal,
  });
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
  expect(result).toMatchObject(outcome);
  expect(marks).toBe(marksExpected);
});
