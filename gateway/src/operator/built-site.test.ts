import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { BuiltSite } from './built-site';

const folder = mkdtempSync(join(tmpdir(), 'site-'));
const script = `console.log(${'1 + '.repeat(500)}1);`;
const anyCopy = { ifNoneMatch: undefined, acceptEncoding: undefined };

beforeAll(() => {
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  writeFileSync(join(folder, 'assets', 'index-1.js'), script);
  writeFileSync(join(folder, 'assets', 'icon-1.svg'), '<svg/>');
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

test('the page is not cached and loads only our own files', () => {
  const { status, headers, body } = new BuiltSite(folder).page();
  expect([status, String(body), headers?.['Cache-Control']]).toEqual([
    200,
    '<!doctype html>',
    'no-store',
  ]);
  const policy = headers?.['Content-Security-Policy'] ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
});

test('other origins can neither load the page nor access its window', () => {
  const site = new BuiltSite(folder);
  expect(site.page().headers).toMatchObject({
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  });
  expect(site.asset('index-1.js', anyCopy).headers).toMatchObject({
    'Cross-Origin-Resource-Policy': 'same-origin',
  });
});

test('an asset is cached permanently and revalidated by its ETag', () => {
  const site = new BuiltSite(folder);
  const { headers, body } = site.asset('index-1.js', anyCopy);
  expect([String(body), headers?.['Content-Type'], headers?.['Cache-Control']]).toEqual([
    script,
    'text/javascript; charset=utf-8',
    'public, max-age=31536000, immutable',
  ]);
  const again = site.asset('index-1.js', { ...anyCopy, ifNoneMatch: headers?.ETag ?? '' });
  expect([again.status, again.body]).toEqual([304, undefined]);
});

test('a large asset is compressed for clients that accept gzip, with a separate ETag', () => {
  const site = new BuiltSite(folder);
  const gzip = { ...anyCopy, acceptEncoding: 'gzip, deflate, br' };
  const { headers, body } = site.asset('index-1.js', gzip);
  expect(gunzipSync(body as Buffer).toString()).toBe(script);
  expect([headers?.['Content-Encoding'], headers?.Vary]).toEqual(['gzip', 'Accept-Encoding']);
  expect(headers?.ETag).not.toBe(site.asset('index-1.js', anyCopy).headers?.ETag);
  expect(site.asset('icon-1.svg', gzip).headers?.['Content-Encoding']).toBeUndefined();
});

test.each(['', '.', '..', '../index.html', '..%2Findex.html', '/etc/passwd', 'index-1.js\0'])(
  'a name that is not exactly the name of an asset is not found: %j',
  (name) => {
    const wanted = () => new BuiltSite(folder).asset(name, anyCopy);
    expect(wanted).toThrow(expect.objectContaining({ status: 404 }));
  },
);

test('a dashboard that is not built returns 503 until it is built', () => {
  const site = new BuiltSite(join(folder, 'later'));
  expect(() => site.page()).toThrow(expect.objectContaining({ status: 503 }));
  mkdirSync(join(folder, 'later', 'assets'), { recursive: true });
  writeFileSync(join(folder, 'later', 'index.html'), 'now');
  expect(String(site.page().body)).toBe('now');
});
