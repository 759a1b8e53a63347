import { createHash } from 'node:crypto';
import { RequestError } from '../../http/error';
import { formTokenField } from './form-fields';

/**
 * CSRF token of every form behind a cookie. Other sites may cause requests with the cookie but
 * cannot read a page.
 */
export function formTokenOf(secret: string): string {
  return createHash('sha256').update(`form:${secret}`).digest('base64url');
}

/** Refuses a form without the token of the cookie's session. */
export function refuseForeignForm(form: ReadonlyMap<string, string>, formToken: string): void {
  if (form.get(formTokenField) === formToken) return;
  throw new RequestError(403, 'cross_site', 'Invalid form token');
}
