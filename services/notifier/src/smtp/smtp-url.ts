/** Mail server as the configuration names it. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** True for TLS from the first byte. */
  readonly isSecure: boolean;
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
}

const portOf = { 'smtp:': 587, 'smtps:': 465 } as const;

/** Parses `smtp://` or `smtps://user:password@host:port`; undefined for any other text. */
export function readSmtpUrl(text: string): MailServer | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search } = new URL(text);
  if (protocol !== 'smtp:' && protocol !== 'smtps:') return undefined;
  if (hostname === '' || !['', '/'].includes(pathname) || search !== '') return undefined;
  const user = decoded(username);
  const secret = decoded(password);
  if (user === undefined || secret === undefined) return undefined;
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? portOf[protocol] : Number(port),
    isSecure: protocol === 'smtps:',
    credentials: user === '' ? undefined : { user, password: secret },
  };
}

/** Undefined for a text with a percent sign that begins no escape. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** True for an address of this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
