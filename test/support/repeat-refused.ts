import { setTimeout as delay } from 'node:timers/promises';

const repeatsMaxUsual = 3;
const pauseSecondsMax = 5;

interface Refusable {
  readonly status: number;
  readonly headers: Headers;
}

/**
 * Sends a request again that the system refused for a moment, as the official client does. A busy
 * machine reaches limits at which such a refusal is right, in any test.
 */
export async function repeatRefused<A extends Refusable>(
  send: () => Promise<A>,
  repeatsMax = repeatsMaxUsual,
): Promise<A> {
  for (let repeats = 0; ; repeats += 1) {
    const answer = await send();
    const pauseSeconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
    const isRefused = answer.status === 503 && answer.headers.get('error-code') === 'unavailable';
    if (!isRefused || Number.isNaN(pauseSeconds) || repeats >= repeatsMax) return answer;
    process.stderr.write(`Sent again after 503: ${answer.headers.get('x-request-id') ?? ''}\n`);
    await delay(Math.min(pauseSeconds, pauseSecondsMax) * 1_000);
  }
}
