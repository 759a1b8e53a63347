import { type FunnelStep, funnelAddend, funnelReport, funnelStepsReached } from './session-funnel';
import { abandon, type Session } from './session';
import { aReadySession, aSession, made } from './testing-session';

test.each<[string, Session, FunnelStep[]]>([
  ['what is still being made', aSession(), []],
  ['what was given up before it was made', abandoned(), []],
  ['what may be paid', aReadySession(), ['CREATED']],
  ['what is being paid', { ...aReadySession(), phase: 'PAYING' }, ['CREATED']],
  ['what was bought', { ...aReadySession(), phase: 'COMPLETE' }, ['CREATED', 'COMPLETED']],
  ['what ran out', { ...aReadySession(), phase: 'EXPIRED' }, ['CREATED', 'EXPIRED']],
])('the funnel counts %s', (_name, session, expected) => {
  expect(funnelStepsReached(session)).toEqual(expected);
});

function abandoned(): Session {
  const session = aSession();
  return made(abandon(session, session.abandonAt).state);
}

test('a report shows every day that is asked for', () => {
  const first = { day: '2026-01-31', created: 3n, completed: 2n, expired: 1n };
  const none = { created: 0n, completed: 0n, expired: 0n };
  expect(funnelReport([first], ['2026-01-30', '2026-01-31'])).toEqual([
    { day: '2026-01-30', ...none },
    first,
  ]);
});

test('each step counts once', () => {
  const steps: FunnelStep[] = ['CREATED', 'COMPLETED', 'EXPIRED'];
  expect(steps.map(funnelAddend)).toEqual([{ created: 1n }, { completed: 1n }, { expired: 1n }]);
});
