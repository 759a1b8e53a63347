import { judge, type Outcome } from './delivery';
import { standardRetrySchedule } from './retry-schedule';

const now = new Date('2026-03-01T00:00:00.000Z');
const settings = { failures: 0, now, jitter: 1, scheduleMs: standardRetrySchedule };
const unanswered: Outcome = { kind: 'unanswered', error: 'Timed out' };

function answered(status: number, retryAfterMs?: number): Outcome {
  return { kind: 'answered', status, body: '', retryAfterMs };
}

describe('an attempt', () => {
  test.each([200, 201, 202, 204, 299])('answered with %i delivers the webhook', (status) => {
    expect(judge(answered(status), settings)).toEqual({
      status: 'DELIVERED',
      dueAt: undefined,
      isEndpointGone: false,
    });
  });

  test.each([199, 301, 302, 307, 400, 401, 404, 429, 500, 503])(
    'answered with %i is retried after the first step',
    (status) => {
      expect(judge(answered(status), settings)).toEqual({
        status: 'PENDING',
        dueAt: new Date('2026-03-01T00:00:05.000Z'),
        isEndpointGone: false,
      });
    },
  );

  test('without an answer is retried after the step of its number', () => {
    expect(judge(unanswered, { ...settings, failures: 2 })).toMatchObject({
      status: 'PENDING',
      dueAt: new Date('2026-03-01T00:30:00.000Z'),
    });
  });

  test('waits as long as the receiver asks for', () => {
    expect(judge(answered(503, 9_000), settings).dueAt).toEqual(
      new Date('2026-03-01T00:00:09.000Z'),
    );
  });

  test('that fails after the last step of the schedule is the last one', () => {
    expect(judge(unanswered, { ...settings, failures: 9 })).toEqual({
      status: 'FAILED',
      dueAt: undefined,
      isEndpointGone: false,
    });
  });

  test('answered with 410 is the last one, and the endpoint is gone', () => {
    expect(judge(answered(410), settings)).toEqual({
      status: 'FAILED',
      dueAt: undefined,
      isEndpointGone: true,
    });
  });

  test('answered with 410 by the former version of the endpoint is retried', () => {
    expect(judge(answered(410), { ...settings, isPast: true })).toMatchObject({
      status: 'PENDING',
      isEndpointGone: false,
    });
  });
});
