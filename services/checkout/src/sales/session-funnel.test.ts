import { type FunnelStep, funnelAddend, funnelReport, funnelStepsReached } from './session-funnel';
import { abandon, type Session } from './session';
import { aReadySession, aSession, asSession } from '../testing/session';

test.each<[string, Session, FunnelStep[]]>([
  ['a session in creation as nothing', aSession(), []],
  ['an abandoned session as nothing', abandoned(), []],
  ['a payable session', aReadySession(), ['CREATED']],
  ['a session in payment', { ...aReadySession(), phase: 'PAYING' }, ['CREATED']],
  ['a complete session', { ...aReadySession(), phase: 'COMPLETE' }, ['CREATED', 'COMPLETED']],
  ['an expired session', { ...aReadySession(), phase: 'EXPIRED' }, ['CREATED', 'EXPIRED']],
])('the funnel counts %s', (_name, session, expected) => {
  expect(funnelStepsReached(session)).toEqual(expected);
});

function abandoned(): Session {
  const session = aSession();
  return asSession(abandon(session, session.abandonAt).state);
}

test('a report contains every requested day', () => {
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
