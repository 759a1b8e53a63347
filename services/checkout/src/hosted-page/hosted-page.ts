import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Kind of resource that a public page shows. */
type HostedPageKind = 'CHECKOUT_SESSION' | 'CHECKOUT_LINK' | 'INVOICE';

/** A page, identified by the resource it shows. */
export interface HostedResource {
  readonly kind: HostedPageKind;
  readonly resourceId: string;
}

/** Resource that the token of its page names. */
export interface NamedResource extends HostedResource {
  readonly kind: (typeof namedKinds)[number];
}

/** Address of public pages and the secrets of their tokens. */
export interface HostedPageSite {
  /** Address of the gateway as payers reach it, without a trailing slash. */
  readonly url: string;
  /** Allows its holder to create every token. */
  readonly secret: string;
  /** Former secrets; tokens created with them stay valid. */
  readonly oldSecrets: readonly string[];
}

// The prefix before the id separates the tokens of a session, a link and an invoice, even with the
// same id.
const forms: Readonly<Record<HostedPageKind, { path: string; prefix: string }>> = {
  CHECKOUT_SESSION: { path: 'checkout', prefix: '' },
  CHECKOUT_LINK: { path: 'link', prefix: 'checkout-link:' },
  INVOICE: { path: 'invoice', prefix: 'invoice:' },
};

const namedKinds = ['CHECKOUT_LINK', 'INVOICE'] as const;
const idLength = 16;
// Half of the HMAC: impossible to guess, and together with the id as long as a session's token.
const proofBytes = 16;

/**
 * Token that opens a page: 43 characters, impossible to guess and the same each time. A session's
 * token reveals nothing and is found by its hash; the token of a link or an invoice begins with the
 * id, so that it can be found without being stored.
 */
export function tokenOf({ kind, resourceId }: HostedResource, secret: string): string {
  const proof = proofOf({ kind, resourceId }, secret);
  if (kind === 'CHECKOUT_SESSION') return proof.toString('base64url');
  const id = idBytes(resourceId);
  // Decoding uses only the bytes of the id.
  if (id.length !== idLength || idOf(id) !== resourceId)
    throw new Error(`The token of a page cannot name ${resourceId}`);
  return Buffer.concat([id, proof.subarray(0, proofBytes)]).toString('base64url');
}

/**
 * Link or invoice that a token opens; undefined for a session's token or one created with another
 * secret.
 */
export function resourceOf(token: string, secret: string): NamedResource | undefined {
  if (!isWellFormedToken(token)) return undefined;
  const resourceId = idOf(Buffer.from(token, 'base64url').subarray(0, idLength));
  const sent = Buffer.from(token);
  // Compares the whole text, because several texts decode to the same bytes.
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

/** Address of the page. The address alone allows a person to see the page and pay. */
export function hostedUrl(
  resource: HostedResource,
  { url, secret }: Pick<HostedPageSite, 'url' | 'secret'>,
): string {
  return `${url}/${forms[resource.kind].path}/${tokenOf(resource, secret)}`;
}

/** Hash by which a session's token is found: a copy of the database opens no page. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** True if the text has the form of a token. */
export function isWellFormedToken(token: string): boolean {
  return /^[\w-]{43}$/.test(token);
}
