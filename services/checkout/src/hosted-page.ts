import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** What a public page is of. */
export type HostedPageKind = 'CHECKOUT_SESSION' | 'CHECKOUT_LINK' | 'INVOICE';

/** A page, by what it shows. */
export interface HostedResource {
  readonly kind: HostedPageKind;
  readonly resourceId: string;
}

/** What the token of its page names. */
export interface NamedResource extends HostedResource {
  readonly kind: (typeof namedKinds)[number];
}

/** Where public pages are and what their tokens are made with. */
export interface HostedPageSite {
  /** Of the gateway as payers reach it, without a slash at the end. */
  readonly url: string;
  /** Whoever knows it can make every token. */
  readonly secret: string;
  /** Those before: tokens made with them stay valid. */
  readonly oldSecrets: readonly string[];
}

// What stands before the id keeps the tokens of a session, a link and an invoice apart, even if they had one id.
const forms: Readonly<Record<HostedPageKind, { path: string; prefix: string }>> = {
  CHECKOUT_SESSION: { path: 'checkout', prefix: '' },
  CHECKOUT_LINK: { path: 'link', prefix: 'checkout-link:' },
  INVOICE: { path: 'invoice', prefix: 'invoice:' },
};

const namedKinds = ['CHECKOUT_LINK', 'INVOICE'] as const;
const idLength = 16;
// Half of the HMAC: more than anybody can guess, and with the id as long as a session's token.
const proofBytes = 16;

/**
 * The token that opens a page: 43 characters that nobody can guess, and that are the same each time. That of a session tells nothing and
 * is found by its hash; that of a link or an invoice begins with the id, so that nothing has to be stored to find it.
 */
export function tokenOf({ kind, resourceId }: HostedResource, secret: string): string {
  const proof = proofOf({ kind, resourceId }, secret);
  if (kind === 'CHECKOUT_SESSION') return proof.toString('base64url');
  const id = idBytes(resourceId);
  // It is found again by its bytes alone.
  if (id.length !== idLength || idOf(id) !== resourceId)
    throw new Error(`The token of a page cannot name ${resourceId}`);
  return Buffer.concat([id, proof.subarray(0, proofBytes)]).toString('base64url');
}

/** The link or invoice that a token opens; undefined where it is a session's, or was not made with the secret. */
export function resourceOf(token: string, secret: string): NamedResource | undefined {
  if (!isWellFormedToken(token)) return undefined;
  const resourceId = idOf(Buffer.from(token, 'base64url').subarray(0, idLength));
  const sent = Buffer.from(token);
  // The whole text, because several texts decode to the same bytes.
  return namedKinds
    .map((kind) => ({ kind, resourceId }))
    .find((resource) => timingSafeEqual(Buffer.from(tokenOf(resource, secret)), sent));
}

function proofOf({ kind, resourceId }: HostedResource, secret: string): Buffer {
  const { prefix } = forms[kind];
  return createHmac('sha256', secret).update(`${prefix}${resourceId}`).digest();
}

function idBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

function idOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The page's address; whoever knows it may see the page and pay. */
export function hostedUrl(
  resource: HostedResource,
  { url, secret }: Pick<HostedPageSite, 'url' | 'secret'>,
): string {
  return `${url}/${forms[resource.kind].path}/${tokenOf(resource, secret)}`;
}

/** What a session's token is found by: a copy of the database opens no page. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Whether a text could be a token at all. */
export function isWellFormedToken(token: string): boolean {
  return /^[\w-]{43}$/.test(token);
}
