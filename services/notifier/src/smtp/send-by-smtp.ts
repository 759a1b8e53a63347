import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { type FailedAttempt, outcomeOf, type SendFailure, type SendOutcome } from './send-outcome';
import type { MailServer } from './smtp-url';

/** Settings of the connections to a mail server. */
export interface SmtpSettings {
  readonly server: MailServer;
  /** False only for a server on this machine. */
  readonly requiresTls: boolean;
  /** PEM of the authority that signs the server's certificate; undefined: the system's. */
  readonly authority: string | undefined;
  /** Limit of each step. */
  readonly timeoutMs: number;
}

/** One message and its envelope. */
export interface SmtpMessage {
  readonly from: string;
  readonly to: string;
  readonly bytes: Buffer;
}

// A server that answers each step just in time would hold a connection for very long.
const attemptTimeouts = 10;

/**
 * Gives a message to the server. `beforeContent` runs after the server's 354 and before the first
 * byte of content; if it rejects, no byte is sent, the connection is broken and the promise rejects
 * with its error.
 */
export async function sendBySmtp(
  message: SmtpMessage,
  {
    settings,
    beforeContent,
    signal,
  }: {
    readonly settings: SmtpSettings;
    readonly beforeContent: () => Promise<void>;
    readonly signal: AbortSignal;
  },
): Promise<SendOutcome | FailedAttempt> {
  const connection = new SMTPConnection(optionsOf(settings));
  const limit = AbortSignal.any([
    signal,
    AbortSignal.timeout(settings.timeoutMs * attemptTimeouts),
  ]);
  // Errors between two steps; without a listener they would end the process.
  connection.on('error', () => undefined);
  let refusal: { readonly cause: unknown } | undefined;
  // Only before the content: a server that takes contents and gives no answer gets few of them.
  let isServerReached = false as boolean;
  const guarded = async () => {
    try {
      await beforeContent();
      isServerReached = false;
    } catch (cause) {
      refusal = { cause };
      throw cause;
    }
  };
  try {
    await untilDone(connection, limit, (done) => {
      connection.connect(done);
    });
    const { credentials } = settings.server;
    if (credentials !== undefined) {
      const { user, password: pass } = credentials;
      await untilDone(connection, limit, (done) => {
        connection.login({ user, pass }, done);
      });
    }
    isServerReached = true;
    const { from, to, bytes } = message;
    const content = Readable.from(contentAfter(guarded, bytes), { objectMode: false });
    await untilDone(connection, limit, (done) => {
      connection.send({ from, to, size: bytes.length }, content, done);
    });
    connection.quit();
    return { kind: 'ACCEPTED' };
  } catch (error) {
    connection.close();
    if (refusal !== undefined) throw refusal.cause;
    // After the content only the server's answer counts.
    const { clientCode, ...failure } = failureOf(error);
    const outcome = outcomeOf(isServerReached ? { ...failure, clientCode } : failure);
    return outcome.kind === 'NO_ANSWER' ? { ...outcome, isServerReached } : outcome;
  }
}

// The connection reads its content after the server has answered 354.
async function* contentAfter(beforeContent: () => Promise<void>, bytes: Buffer) {
  await beforeContent();
  yield bytes;
}

function optionsOf({ server, requiresTls, authority, timeoutMs }: SmtpSettings) {
  return {
    host: server.host,
    port: server.port,
    secure: server.isSecure,
    requireTLS: requiresTls && !server.isSecure,
    ignoreTLS: !requiresTls,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    tls: { rejectUnauthorized: true, ...(authority !== undefined && { ca: authority }) },
    logger: false,
  };
}

/** Resolves with the end of one step; rejects with its error, or if the connection ends. */
function untilDone(
  connection: SMTPConnection,
  signal: AbortSignal,
  begin: (done: (error?: Error | null) => void) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (error?: Error | null) => {
      connection.removeListener('error', finish);
      signal.removeEventListener('abort', abort);
      if (error) reject(error);
      else resolve();
    };
    const abort = () => {
      finish(new Error('The attempt was ended'));
    };
    connection.on('error', finish);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    else begin(finish);
  });
}

interface SmtpError extends Error {
  readonly code?: string;
  readonly originalCode?: string;
  readonly responseCode?: number;
  readonly response?: string;
  readonly command?: string;
}

const certificateProblem = /CERT|TLS|SSL|SIGNED|SIGNATURE/;

function failureOf(error: unknown): SendFailure {
  const { code, originalCode = '', responseCode, response, command } = error as SmtpError;
  const isTlsFailure = code === 'ETLS' || certificateProblem.test(originalCode);
  return { responseCode, response, command, isTlsFailure, clientCode: code };
}
