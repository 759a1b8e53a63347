import { type FormPlace, postForm } from '../pages/frame/form-fields';
import { type PhraseKey, say } from '@billing/documents/say';
import { href, type Html, html, type HtmlValue, local } from '../pages/frame/html';
import type { Look } from '../pages/frame/look';
import { type Page, sellerMark } from '../pages/frame/shell';
import type { Visit } from './route';

/** Sections in the navigation. */
export type Section = 'overview' | 'usage' | 'invoices' | 'payment-methods' | 'details';

// On a phone, a short label is shown, so that all fit into one row.
const sections: Readonly<
  Record<Section, { readonly path: string; readonly label: PhraseKey; readonly short: PhraseKey }>
> = {
  overview: { path: '/portal', label: 'portal.overview', short: 'portal.overview' },
  usage: { path: '/portal/usage', label: 'portal.usage', short: 'portal.usage' },
  invoices: { path: '/portal/invoices', label: 'portal.invoices', short: 'portal.invoices' },
  'payment-methods': {
    path: '/portal/payment-methods',
    label: 'portal.paymentMethods',
    short: 'portal.shortPayment',
  },
  details: {
    path: '/portal/details',
    label: 'portal.contactDetails',
    short: 'portal.shortContact',
  },
};

/** Portal page with header and navigation. */
export function portalPage(
  visit: Visit,
  {
    title,
    section,
    content,
    ...rest
  }: Pick<Page, 'title' | 'status' | 'isWide' | 'refresh' | 'script' | 'hasImage'> & {
    readonly section: Section;
    readonly content: HtmlValue;
  },
): Page {
  const header = (look: Look) => portalHeader(visit, section, look);
  return {
    ...rest,
    title: say('portal.pageTitle', { title }),
    header,
    content,
    isTest: visit.isTest,
    isVisit: true,
    locales: [visit.locale],
  };
}

/** Target of a portal form. */
export function placeOf({ formToken }: Visit, path: string): FormPlace {
  return { path, formToken };
}

const doneNames = [
  'card-added',
  'card-removed',
  'canceled',
  'ended',
  'kept',
  'default-changed',
  'details-saved',
  'plan-changed',
  'plan-scheduled',
  'plan-paying',
  'plan-kept',
] as const;

/** Actions that have a notice. */
export type Done = (typeof doneNames)[number];

/** Redirect URL after an action, which shows its notice. */
export function doneAt(path: string, done: Done): string {
  return `${path}?done=${done}`;
}

/** Notice of a completed action, if any. */
export function doneNotice(done: unknown): Html | undefined {
  // The value comes from the URL, so it may be anything.
  if (!isDone(done)) return undefined;
  return html`<p class="done" role="status">${say(`done.${done}`)}</p>`;
}

function isDone(done: unknown): done is Done {
  return doneNames.some((name) => name === done);
}

function portalHeader(visit: Visit, current: Section, { name, logo }: Look): Html {
  const { returnUrl } = visit;
  return html`<header class="unprinted">
    <a class="skip" href="#main">${say('portal.skip')}</a>
    <div class="bar">
      ${sellerMark({ name: name ?? say('portal.billing'), logo })}
      ${returnUrl !== undefined && html`<a href="${href(returnUrl)}" rel="noreferrer">${say('portal.backTo', { host: hostOf(returnUrl) })}</a>`}
      ${postForm(placeOf(visit, '/portal'), '/leave', html`<button class="plain" type="submit">${say('portal.signOut')}</button>`)}
    </div>
    <nav aria-label="${say('portal.billing')}">
      <ul>
        ${(Object.keys(sections) as Section[]).map((section) => link(section, section === current))}
      </ul>
    </nav>
  </header>`;
}

function link(section: Section, isCurrent: boolean): Html {
  const { path, label, short } = sections[section];
  return html`<li>
    <a href="${local(path)}" ${isCurrent && html` aria-current="page"`}
      >${label === short ? say(label) : html`<span class="long">${say(label)}</span><span class="short" aria-hidden="true">${say(short)}</span>`}</a
    >
  </li>`;
}

function hostOf(address: string): string {
  return URL.parse(address)?.host ?? '';
}
