import type { Request } from 'express';
import { PageDress } from './page-dress';
import type { LookCache } from './look-cache';
import { pageAnswer, redirectAnswer } from './shell';

const dress = new PageDress({} as LookCache, () => '/page');

function requestWith(query: object, acceptLanguage?: string): Request {
  return { query, header: () => acceptLanguage } as unknown as Request;
}

const page = { title: 'Title', content: '' };

function localeOf(
  request: Request,
  locales: readonly (string | undefined)[] = [],
): string | undefined {
  const answer = dress.finishNow(pageAnswer({ ...page, locales }), request);
  expect(String(answer.body)).toContain(
    `<html lang="${answer.headers?.['Content-Language'] ?? ''}">`,
  );
  return answer.headers?.['Content-Language'];
}

describe('a page is in', () => {
  const browser = 'zh-TW, fr;q=0.8, de;q=0.9';

  test('the language that the browser prefers, among those that there are', () => {
    expect(localeOf(requestWith({}, browser))).toBe('de');
  });

  test('the locale of its session or its customer', () => {
    expect(localeOf(requestWith({}, browser), [undefined, 'ja'])).toBe('ja');
    expect(localeOf(requestWith({}, browser), ['es', 'ja'])).toBe('es');
  });

  test('the locale that was chosen on it, unless that is unsupported', () => {
    expect(localeOf(requestWith({ locale: 'fr' }, browser), ['ja'])).toBe('fr');
    expect(localeOf(requestWith({ locale: 'xx' }, browser), ['ja'])).toBe('ja');
  });

  test('the default language if nothing else is known', () => {
    expect(localeOf(requestWith({}, 'zh-TW, *'))).toBe('en');
  });
});

test('a redirect to another page keeps the chosen locale', () => {
  const target = (location: string, query: object) =>
    dress.finishNow(redirectAnswer(location), requestWith(query)).headers?.Location;
  expect(target('/portal?done=kept', { locale: 'de-ch' })).toBe('/portal?done=kept&locale=de-CH');
  expect(target('/portal', {})).toBe('/portal');
  expect(target('https://shop.example/', { locale: 'de' })).toBe('https://shop.example/');
});

test('other languages are offered below the page', () => {
  const { body } = dress.finishNow(pageAnswer(page), requestWith({}));
  expect(String(body)).toContain('<a href="/page?locale=de" lang="de">Deutsch</a>');
  expect(String(body)).not.toContain('>English</a>');
});
