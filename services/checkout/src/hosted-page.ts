import { createHash, createHmac } from 'node:crypto';

/** What a public page is of. */
export type HostedPageKind = 'CHECKOUT_SESSION' | 'CHECKOUT_LINK' | 'INVOICE';

/** A page, by what it shows. */
export interface HostedResource {
  readonly kind: HostedPageKind;
  readonly resourceId: string;
}

/** Where public pages are and what their tokens are made with. */
export interface HostedPageSite {
  /** Of the gateway as payers reach it, without a slash at the end. */
  readonly url: string;
  /** Whoever knows it can make every token. */
  readonly secret: string;
}

// What stands before the id keeps the tokens of a session, a link and an invoice apart, even if they had one id.
const forms: Readonly<Record<HostedPageKind, { path: string; prefix: string }>> = {
  CHECKOUT_SESSION: { path: 'checkout', prefix: '' },
  CHECKOUT_LINK: { path: 'link', prefix: 'checkout-link:' },
  INVOICE: { path: 'invoice', prefix: 'invoice:' },
};

/** The token that opens a page: 43 characters that nobody can guess, and that are the same each time. */
export function tokenOf({ kind, resourceId }: HostedResource, secret: string): string {
  const { prefix } = forms[kind];
  return createHmac('sha256', secret).update(`${prefix}${resourceId}`).digest('base64url');
}

/** The page's address; whoever knows it may see the page and pay. */
export function hostedUrl(resource: HostedResource, { url, secret }: HostedPageSite): string {
  return `${url}/${forms[resource.kind].path}/${tokenOf(resource, secret)}`;
}

/** What a token is found by: a copy of the database opens no page. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Whether a text could be a token at all. */
export function isWellFormedToken(token: string): boolean {
  return /^[\w-]{43}$/.test(token);
}
