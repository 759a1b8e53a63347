import { createHash } from 'node:crypto';
import { RequestError } from '../http-error';
import { formTokenField } from './form-fields';

/**
 * What every form behind a cookie carries. Another site can have a browser send the cookie perhaps,
 * but never read a page.
 */
export function formTokenOf(secret: string): string {
  return createHash('sha256').update(`form:${secret}`).digest('base64url');
}

/** Refuses a form that is not of a page which was shown to the bearer of the cookie. */
export function refuseForeignForm(form: ReadonlyMap<string, string>, formToken: string): void {
  if (form.get(formTokenField) === formToken) return;
  throw new RequestError(403, 'cross_site', 'Invalid form token');
}
