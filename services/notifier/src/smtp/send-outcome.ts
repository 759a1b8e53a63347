/** Answer of a mail server, or its absence. */
export type SendOutcome =
  | { readonly kind: 'ACCEPTED' }
  | { readonly kind: 'BOUNCED' }
  | { readonly kind: 'REFUSED'; readonly reason: string }
  | { readonly kind: 'POSTPONED'; readonly reason: string };

/** Known facts of an attempt that failed. */
export interface SendFailure {
  /** Code of the server's answer, such as 550; undefined if it gave none. */
  readonly responseCode: number | undefined;
  /** Text of the server's answer. */
  readonly response: string | undefined;
  /** Command that the server refused, such as `RCPT TO`. */
  readonly command: string | undefined;
  readonly isTlsFailure: boolean;
  /** Code of an error of the connection, such as `EMESSAGE`. */
  readonly clientCode?: string | undefined;
}

/** Result of a failed attempt. NO_ANSWER: only the record of the handover tells what to do. */
export type FailedAttempt =
  | SendOutcome
  | {
      readonly kind: 'NO_ANSWER';
      readonly reason: string;
      /** True if the server took the connection, and then gave no answer about this mail. */
      readonly isServerReached?: boolean;
    };

// What the connection refuses without asking the server: a mail above the size that the server has
// announced, and an address that no server takes. They count as the answers of a server.
const refusedUnasked: Readonly<Record<string, string | undefined>> = {
  EMESSAGE: 'smtp_552',
  EENVELOPE: 'smtp_553',
};

// An enhanced code 5.1.x: the address is wrong.
const badAddress = /\b5\.1\.\d+\b/;

/** Result of an attempt by the server's answer, or its absence. */
export function outcomeOf(failure: SendFailure): FailedAttempt {
  const { responseCode, response = '', command = '' } = failure;
  // A server without TLS answers the request for it, which is no answer about the mail.
  if (failure.isTlsFailure) return { kind: 'NO_ANSWER', reason: 'tls_failed' };
  if (responseCode === undefined) {
    const refused = refusedUnasked[failure.clientCode ?? ''];
    return refused === undefined || failure.response !== undefined
      ? { kind: 'NO_ANSWER', reason: 'connection_failed' }
      : { kind: 'REFUSED', reason: refused };
  }
  const reason = `smtp_${String(responseCode)}`;
  if (responseCode < 500) return { kind: 'POSTPONED', reason };
  // Credentials and greetings are about this server, not about the mail.
  if (!/^(MAIL|RCPT|DATA)/.test(command)) return { kind: 'POSTPONED', reason };
  const isBounce = command.startsWith('RCPT') && badAddress.test(response);
  return isBounce ? { kind: 'BOUNCED' } : { kind: 'REFUSED', reason };
}
