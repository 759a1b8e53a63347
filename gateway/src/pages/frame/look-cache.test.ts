import type { CallContext } from '@billing/chassis/call-context';
import { brandColors } from '@billing/kernel/brand-colors';
import { Branding, type GetBrandingResponse } from '@billing/proto/billing/checkout/v1/branding';
import type { Peers } from '../../peer/peers';
import { defaultLook } from './look';
import { LookCache } from './look-cache';

const start = Date.parse('2026-01-31T00:00:00.000Z');
const tenant = { environmentId: 'env', organizationId: 'org', live: true, manualClock: false };

function answerOf(displayName: string): GetBrandingResponse {
  const colors = brandColors('#2447C9');
  return {
    branding: Branding.fromPartial({ displayName, colors, defaultLocale: 'en' }),
    seller: { legalName: undefined, email: undefined, logo: undefined },
  };
}

function scene() {
  let now = start;
  let answer: () => Promise<GetBrandingResponse> = () => Promise.resolve(answerOf('First'));
  let calls = 0;
  const getBranding = () => {
    calls += 1;
    return answer();
  };
  const peers = { branding: { getBranding } } as unknown as Peers;
  const cache = new LookCache(peers, { now: () => new Date(now) });
  const context = { tenant, now: new Date(now), deadline: new Date(now + 10_000) };
  return {
    find: () => cache.find(context as unknown as CallContext),
    pass: (ms: number) => (now += ms),
    answers: (next: typeof answer) => (answer = next),
    calls: () => calls,
  };
}

test('a look is cached for ten seconds', async () => {
  const { find, pass, answers, calls } = scene();
  expect((await Promise.all([find(), find()])).map(({ name }) => name)).toEqual(['First', 'First']);
  answers(() => Promise.resolve(answerOf('Second')));
  pass(9_999);
  expect((await find()).name).toBe('First');
  expect(calls()).toBe(1);
  pass(1);
  expect((await find()).name).toBe('Second');
});

test('the last known look is shown while its owner does not answer, else the default one', async () => {
  const { find, pass, answers } = scene();
  answers(() => Promise.reject(new Error('Down')));
  expect(await find()).toBe(defaultLook);
  answers(() => Promise.resolve(answerOf('First')));
  expect((await find()).name).toBe('First');
  pass(20_000);
  answers(() => Promise.reject(new Error('Down')));
  expect((await find()).name).toBe('First');
});
